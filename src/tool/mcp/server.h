// One MCP server as its entry in an agent file describes it, over all the sessions it takes: started at once, started
// again when it falls, later each time that this does not help, and at the latest when somebody calls. Runs on: the MCP
// thread. What other threads see of it is in ServerView.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "tool/call.h"
#include "tool/mcp/farewells.h"
#include "tool/mcp/server_plan.h"
#include "tool/mcp/session.h"
#include "tool/mcp/tool_plan.h"

namespace braidlog::tool::mcp {

// Thread-safe.
class ServerView {
 public:
  explicit ServerView(std::function<void()> changed) : changed_(std::move(changed)) {}

  void set_tools(ToolPlans tools);
  void set_trouble(std::string trouble);
  // Nobody needs to wait for it any longer: it is up, or it failed.
  void settle();
  // Calls `changed`, unless it was silenced.
  void tell_change();
  // Returns when no call of `changed` is under way. From inside of one it returns at once.
  void silence();

  ToolPlans tools() const;
  std::string trouble() const;
  void wait_until_settled(std::chrono::milliseconds patience);

 private:
  mutable Mutex mutex_;
  mutable Condition settled_changed_;
  ToolPlans tools_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
  bool settled_ GUARDED_BY(mutex_) = false;

  std::recursive_mutex telling_;   // held while `changed` runs
  std::function<void()> changed_;  // under telling_
};

class Server final : private SessionOwner {
 public:
  // All outlive it.
  struct Place {
    IoThread& loop;
    HttpClients& clients;
    Farewells& farewells;
    const Limits& limits;
  };
  Server(ServerPlan plan, std::shared_ptr<ServerView> view, Place place);
  // Ends its session; calls under way get no answer, since nobody is left who made them.
  ~Server() override;

  void start();

  // `key` is the caller's, and of one call only.
  void call(std::uint64_t key, std::shared_ptr<const ToolPlan> tool, json::object arguments, Done finish);
  // The caller has gone. Does nothing when the call is over.
  void cancel(std::uint64_t key);

 private:
  bool has_changed(const ToolPlan& tool) const;

  struct Call {
    std::shared_ptr<const ToolPlan> tool;
    json::object arguments;
    Done finish;
    std::int64_t sent = 0;  // its number in the session; 0: waits for one
    bool repeated = false;  // it was sent to a server that had forgotten us
  };

  void on_tools(const std::vector<json::object>& tools, Era era) override;
  void on_ended(std::string why) override;

  void open_session();
  void send(std::uint64_t key, Call& call);
  void take_answer(std::uint64_t key, Answer answer);
  void send_waiting();
  void fail_waiting();
  void fall(std::string why);

  const ServerPlan plan_;
  const std::shared_ptr<ServerView> view_;
  const Place place_;
  std::unique_ptr<Session> session_;             // none: it is down
  std::vector<std::unique_ptr<Session>> ended_;  // until the task that they ended in is over
  std::map<std::uint64_t, Call> calls_;
  std::chrono::milliseconds restart_delay_;
  std::int64_t up_since_ms_ = 0;
  Timer restart_timer_;
  std::shared_ptr<Server*> self_ = std::make_shared<Server*>(this);  // null once this is gone
  Era known_era_ = Era::kUnknown;                                    // of an address; a program may be another one
  std::string said_;                                                 // the trouble that was logged last
};

}  // namespace braidlog::tool::mcp
