// Does what the run machine decides, for one run: appends its events, calls the model, runs tools, keeps the
// timers. A command is done only after the events that led to it are durable, so no tool runs without its
// intent in the log. Runs on: the io thread of the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "engine/file_reader.h"
#include "engine/run_machine.h"
#include "runlog/run_log.h"

namespace braidlog {

class RunDriver final : private ModelSink, private CodeSink {
 public:
  struct Setup {
    RunId run_id;
    std::shared_ptr<const RunnableAgent> agent;
    SessionPolicy policy;
    std::vector<api::Message> history;  // of the session, before this run
    RunState state;                     // the fold of what is in the log
    FileReader* files = nullptr;        // none: a run with files that are no text fails
  };
  // The run is open in `log`. All references outlive the driver. `over` is posted once, when the run has ended or
  // belongs to another owner; the driver is then idle and may be destroyed.
  RunDriver(Setup setup, Loop& loop, RunLog& log, const Limits& limits, IdSource& ids, Task over);
  ~RunDriver() override;

  void begin();
  void resume(const std::vector<RunOrder>& orders);
  // The turn of a run that waited has come. Nothing happens when it has begun, or ended, before.
  void begin_turn(TurnStart turn, std::vector<api::Message> history, SessionPolicy policy);
  // The server's own order, which no client waits for. `user_id`: on whose account, if on anybody's.
  void interrupt(std::string reason, std::string user_id = {});

  // An order that is durable. `ack` comes when the event it led to is durable, with kInvalidState when the
  // run is over and kAlreadyDecided when it was told before.
  using Ack = UniqueFunction<void(Status)>;
  void deliver(RunOrder order, Ack ack);

  // The log refused an event: the run has another owner.
  void lose(const Error& error);

  void set_auto_approve(bool enabled) {
    machine_.set_auto_approve(enabled);
    auto_approve_told_ = enabled;
  }
  void set_title(std::string title) { machine_.set_title(std::move(title)); }
  const RunState& state() const { return machine_.state(); }

 private:
  struct ToolInFlight {
    std::unique_ptr<ToolRun> run;
    Timer timeout;
  };

  void on_read_begin() override;
  void on_read_end() override { is_one_moment_ = false; }
  void on_text(std::string_view delta) override;
  void on_reasoning(std::string_view delta) override;
  void on_tool_call(unsigned slot, std::string_view provider_call_id, std::string_view name) override;
  void on_tool_args(unsigned slot, std::string_view fragment) override;
  void on_finished(ModelFinish finish) override;
  void on_failed(Error error) override;
  void on_code_call(std::string_view name, json::object args) override;
  void on_code_done(CodeOutcome outcome) override;

  void hear(const RunInput& input);
  void release_model();
  void release_code();
  void run_code();
  void answer_code(ToolCallId id);
  void feed(const RunInput& input, std::optional<std::uint64_t> order_id = {}, Ack ack = {}) {
    take(input, now(), order_id, std::move(ack));
  }
  void take(const RunInput& input, Moment at, std::optional<std::uint64_t> order_id, Ack ack);
  void refuse(Ack ack);
  Moment now();
  Moment moment_of(MonoTime mono);
  // Of what the model says: all that came in one read has one time.
  Moment heard_at() { return is_one_moment_ ? moment_of(read_at_) : now(); }
  void execute(const std::vector<RunCommand>& commands);
  void read_file(std::uint32_t index);
  void release_reading();
  void call_model();
  void start_tool(ToolCallId id);
  void finish_tool(ToolCallId id, ToolOutcome outcome);
  void watch_expiry(const WatchExpiry& watch);
  void watch_working_time();
  void stop();

  // What every word of the model needs stands together, the beginning of the machine included.
  Loop& loop_;
  RunLog& log_;
  RunLog::OpenRun& written_;  // gone once this has stopped
  std::unique_ptr<ModelCall> model_call_;
  MonoTime read_at_;                                   // what the model says now came then, if it came at one moment
  std::optional<std::pair<WallTime, MonoTime>> wall_;  // a reading of both clocks, at most a moment old
  MonoTime started_;                                   // of this driver
  std::uint32_t elapsed_before_ms_ = 0;                // of the run, when this driver took it up
  bool is_one_moment_ = false;
  bool stopped_ = false;
  RunMachine machine_;

  RunId run_id_;
  std::shared_ptr<const RunnableAgent> agent_;
  std::vector<api::Message> history_;
  const Limits& limits_;
  Task over_;
  std::optional<bool> auto_approve_told_;
  std::vector<Ack> late_acks_;  // of orders that came when the end was decided and not yet durable
  std::int64_t waited_ms_ = 0;  // of the elapsed time, waiting for people
  std::optional<MonoTime> waiting_since_;

  FileReader* files_;
  std::unique_ptr<FileReading> reading_;
  std::chrono::milliseconds reading_took_{0};
  std::unique_ptr<CodeSession> code_;  // from the first code of the run on
  bool code_asks_ = false;             // it waits for an answer
  std::map<ToolCallId, ToolInFlight> tools_;
  std::map<ApprovalId, Timer> expiries_;
  Timer model_timer_, grace_timer_, work_timer_;
};

}  // namespace braidlog
