// All sandboxes and who has them. Some are started ahead and wait ready; a session takes one with its first code and
// keeps it; whoever finds none waits in line. Never more than `sandboxes_max` processes, the ready ones included. Runs
// on: the sandbox thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/unique_function.h"
#include "sandbox/code_run.h"
#include "sandbox/limit_words.h"
#include "sandbox/process.h"
#include "sandbox/session_link.h"
#include "sandbox/walls.h"

namespace braidlog::sandbox {

using SessionNumber = std::uint64_t;

class Pool final : public ProcessOwner {
 public:
  // `on_health` is told whenever it becomes known that sandboxes can be started (none) or cannot, and why.
  Pool(const Limits& limits, Programs programs, int epoll_fd,
       UniqueFunction<void(std::optional<std::string> problem)> on_health);
  ~Pool() override;

  // From now on some wait ready.
  void start();

  void open(SessionNumber number, std::shared_ptr<SessionLink> link, const std::vector<CodeFunction>& functions);
  void run(SessionNumber number, std::string code);
  void answer(SessionNumber number, std::string frame);
  void close(SessionNumber number);

  // An event of epoll; its key is one of a process, also of one that is gone.
  void handle(std::uint64_t key);
  // Whatever is due. After every round.
  void tick();
  // When tick() has to come at the latest, in milliseconds; -1: whenever something happens.
  int timeout_ms() const;

  // Kills all. Nothing is started any more; done when empty().
  void shut_down();
  bool empty() const { return workers_.size() == dead_.size(); }  // the dead are erased with the next tick()

 private:
  struct Worker {
    enum class State {
      kStarting,
      kReady,
      kTaken,     // by a session
      kSilent,    // closed its pipe: about to end, or else it is killed
      kStopping,  // killed
    };
    std::unique_ptr<Process> process;
    unsigned number = 0;  // its user
    State state = State::kStarting;
    bool was_ready = false;
    SessionNumber session = 0;
    StopReason reason = StopReason::kNone;
    Time deadline{};   // of the start, of the silence, of the end
    std::string said;  // what it wrote before it was ready
  };
  struct Session {
    std::shared_ptr<SessionLink> link;
    std::string functions_json;
    std::set<std::string, std::less<>> names;
    Worker* worker = nullptr;
    bool lost_unseen = false;  // its process ended while no code ran: the next code is told
    std::optional<CodeRun> run;
    std::optional<std::string> waiting_code;  // in line
    Time wait_until{};
  };

  void on_frame(Process& process, std::string frame) override;
  void on_output(Process& process, std::string_view bytes) override;
  void on_silent(Process& process) override;
  void on_nonsense(Process& process) override;
  void on_gone(Process& process, int status) override;

  void became_ready(Worker& worker, const std::optional<RunnerMessage>& message);
  void take_message(Worker& worker, std::optional<RunnerMessage> message);
  void take_end(Worker& worker, Session& session, RunnerMessage message);
  void give(Worker& worker, SessionNumber number, Session& session);
  void serve_line();
  void fill();
  void start_one();
  void failed_to_start(std::string why);
  void refuse_line();
  void drop_from_line(SessionNumber number);
  void stop(Worker& worker, StopReason reason);
  void tick_worker(Worker& worker, Time now, bool look_at_files);
  Worker& worker_of(const Process& process);
  Session* session_of(const Worker& worker);
  bool hopeless() const;  // nothing was ever started here, and the next attempt is not due
  std::optional<Time> next_due() const;

  const Limits& limits_;
  const LimitWords words_;
  const Programs programs_;
  const int epoll_fd_;
  UniqueFunction<void(std::optional<std::string>)> on_health_;

  std::map<std::uint64_t, Worker> workers_;  // by key of their process
  std::uint64_t next_key_ = Process::kSources;
  std::vector<std::uint64_t> dead_;  // erased at the end of the round: events of theirs may still be on the way
  std::map<SessionNumber, Session> sessions_;
  std::deque<SessionNumber> line_;

  std::string outer_filter_;
  std::string inner_filter_;
  bool keeps_ready_ = false;
  bool shutting_down_ = false;
  bool ever_ready_ = false;
  std::optional<std::string> problem_;
  Time retry_at_{};
  Time next_look_at_files_{};
};

}  // namespace braidlog::sandbox
