// A conversation with one MCP server over one link: which era it speaks, its tools, calls of them. Ends with the link,
// or when the server does not get ready in its time; a new session is then another object. Runs on: the MCP thread.
//
//   start ─▶ server/discover ─┬─ modern ──────────────────────────────┬─▶ tools/list ─▶ ready
//                             └─ else: initialize, initialized: legacy ┘       ▲            │ list_changed
//                                                                              └────────────┘
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "tool/mcp/link.h"
#include "tool/mcp/requests.h"

namespace braidlog::tool::mcp {

struct ToolCall {
  std::string name;  // the server's own
  json::object arguments;
  std::vector<HttpHeader> headers;
  Patience patience;
};

class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  // The server is ready, or its tools are others than before. Each is what the server said of it.
  virtual void on_tools(const std::vector<json::object>& tools, Era era) = 0;
  // It is over, and all calls have been lost. The last call; the session is destroyed after it has returned.
  virtual void on_ended(std::string why) = 0;
};

class Session final : private LinkOwner {
 public:
  Session(SessionOwner& owner, Loop& loop, const Limits& limits, std::string server);
  ~Session() override;

  LinkOwner& link_owner() { return *this; }
  // Begins. The owner hears nothing before this returns. A known era saves the question.
  void start(std::unique_ptr<Link> link, Era known = Era::kUnknown);

  // Only when it is ready. Gives the number to cancel it by.
  std::int64_t call(ToolCall call, OnAnswer on_answer);
  // The server is told; the callback never comes.
  void cancel(std::int64_t call);

  // Its tools may be others than those it listed.
  void list_again();
  // Nothing more is said or heard; calls under way are lost.
  void close(const std::string& why = "was given up");

  bool is_ready() const { return state_ == State::kReady; }

 private:
  enum class State { kStarting, kReady, kOver };

  void on_message(RpcMessage message) override;
  void on_lost(std::int64_t id, Lost lost) override;
  void on_down(std::string why) override;

  // The beginning: session_start.cpp.
  void discover();
  void take_discovery(Answer answer);
  void take_versions(const json::array* versions);
  void begin_legacy();
  void take_initialized(Answer answer);
  void become(Era era, std::string version);

  void list_tools(std::string cursor = {});
  void take_tools(Answer answer, const std::string& cursor);
  // False: there is no room for more.
  bool take_page(const json::array& tools);
  void tools_are_known();
  void subscribe();
  void take_request(const RpcMessage& request);
  void take_notification(const RpcMessage& notification);
  void end(std::string why);

  json::object params() const;  // with what every request of the era says of us
  std::int64_t request(std::string method, json::object params, Patience patience, OnAnswer on_answer);
  void send_request(std::int64_t id, std::string method, const json::object& params, const ToolCall* call);
  void tell(std::string_view method, const json::object& params);
  void tell_cancelled(std::int64_t id, std::string_view reason);

  SessionOwner& owner_;
  Loop& loop_;
  const Limits& limits_;
  const std::string server_;
  std::unique_ptr<Link> link_;
  Requests requests_;
  State state_ = State::kStarting;
  Era era_ = Era::kUnknown;
  std::string version_;
  bool changes_are_told_ = false;  // the server says when its tools change
  std::int64_t discovery_ = 0, initialization_ = 0;
  Timer start_timer_, probe_timer_, list_timer_, subscribe_timer_;
  std::vector<json::object> listed_;
  std::size_t pages_ = 0;
  std::size_t listed_bytes_ = 0;  // of all pages
  bool listing_ = false, list_is_old_ = false;
  std::chrono::milliseconds subscribe_delay_;
};

}  // namespace braidlog::tool::mcp
