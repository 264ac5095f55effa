#include "engine/run_driver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/overloaded.h"
#include "engine/effects.h"
#include "engine/own_tools.h"
#include "engine/prompt.h"

namespace braidlog {

using std::chrono::milliseconds;

namespace {

// A run may wait for longer than 32 bits of milliseconds; its durations then stand still.
std::uint32_t saturated(std::int64_t milliseconds) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(milliseconds, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

RunDriver::RunDriver(Setup setup, Loop& loop, RunLog& log, const Limits& limits, IdSource& ids, Task over)
    : loop_(loop),
      log_(log),
      written_(log.writer(setup.run_id)),
      started_(loop.clock().mono()),
      machine_(setup.agent, limits, std::move(setup.policy), ids, std::move(setup.state)),
      run_id_(setup.run_id),
      agent_(setup.agent),
      history_(std::move(setup.history)),
      limits_(limits),
      over_(std::move(over)),
      files_(setup.files) {
  // The monotonic clock of an earlier process means nothing here; the wall clock may have stepped back
  // meanwhile.
  const auto& state = machine_.state();
  const WallTime since = state.is_begun ? state.started_at : state.queued_at;
  const auto gap = std::max<std::int64_t>(0, loop.clock().wall().ms - since.ms - state.elapsed_ms);
  elapsed_before_ms_ = saturated(state.elapsed_ms + gap);
}

// Nothing of the model may speak while the rest goes.
RunDriver::~RunDriver() {
  model_call_.reset();
}

void RunDriver::begin() {
  if (!machine_.state().is_begun) return;  // until its turn comes
  // A run that was made just now may have its first turn in the log already.
  phase_of(machine_.state()) == RunPhase::kQueued ? feed(Begin{}) : call_model();
  watch_working_time();
}

void RunDriver::resume(const std::vector<RunOrder>& orders) {
  feed(Resume{});
  for (const auto& order : orders) deliver(order, {});
  watch_working_time();
}

void RunDriver::begin_turn(TurnStart turn, std::vector<api::Message> history, SessionPolicy policy) {
  if (machine_.state().is_begun) return;
  history_ = std::move(history);
  // The session may have been read before it changed; what was acknowledged counts.
  if (auto_approve_told_) policy.auto_approve = *auto_approve_told_;
  machine_.set_policy(std::move(policy));
  // Waiting was no part of the work.
  started_ = loop_.clock().mono();
  elapsed_before_ms_ = 0;
  feed(Begin{std::move(turn)});
  watch_working_time();
}

void RunDriver::interrupt(std::string reason, std::string user_id) {
  RunOrder order;
  order.reason = std::move(reason);
  order.user_id = std::move(user_id);
  feed(InterruptOrdered{std::move(order)});
}

void RunDriver::deliver(RunOrder order, Ack ack) {
  const auto id = order.id;
  if (order.kind == RunOrder::Kind::kDecide) {
    feed(DecisionMade{std::move(order)}, id, std::move(ack));
  } else {
    feed(InterruptOrdered{std::move(order)}, id, std::move(ack));
  }
}

// ---- the machine's inputs and outputs ----

void RunDriver::take(const RunInput& input, Moment at, std::optional<std::uint64_t> order_id, Ack ack) {
  if (stopped_) return refuse(std::move(ack));
  RunStep& step = machine_.handle(input, at);
  // The model is not to write on while its last words are on their way to the disk.
  if (std::ranges::any_of(step.commands, [](const auto& c) { return std::holds_alternative<CancelModel>(c); })) {
    release_model();
  }
  if (std::ranges::any_of(step.commands, [](const auto& c) { return std::holds_alternative<StopCode>(c); })) {
    release_code();
  }
  if (step.events.empty()) {
    execute(step.commands);
    return refuse(std::move(ack));
  }
  RunEffects& effects = log_.effects(written_);
  add_effects(run_id_, machine_.state(), step.events, effects);
  if (order_id) effects.orders_done.push_back(*order_id);
  // The machine may be further than the log: the driver goes when the terminal event itself is durable.
  const bool ends = is_terminal(step.events.back().body);
  RunLog::Done done;
  if (ends || ack || !step.commands.empty()) {  // most tokens lead to nothing but themselves
    done = [this, ends, commands = std::move(step.commands), ack = std::move(ack)](Status status) mutable {
      if (status) execute(commands);
      if (status && ends) stop();
      if (ack) ack(std::move(status));
    };
  }
  log_.append(written_, step.events, std::move(done));
  if (is_over(machine_.state().ended)) release_model();
}

void RunDriver::refuse(Ack ack) {
  if (!ack) return;
  if (stopped_) return ack(fail(ErrorCode::kInvalidState, "The run is over"));
  // Over for the machine, not yet in the log: who is told now, and looks, would still see a run that goes on.
  if (is_over(machine_.state().ended)) return late_acks_.push_back(std::move(ack));
  ack(fail(ErrorCode::kAlreadyDecided, "This was decided before"));
}

void RunDriver::lose(const Error& error) {
  log_warn("run given up", {{"run", to_prefixed(run_id_)}, {"error", error.message}});
  stop();
}

// Two readings of a clock per token would show in what a token costs, so the wall clock is read again only when its
// last reading is old. It may step; the times of one run do not go backwards.
Moment RunDriver::now() {
  return moment_of(loop_.clock().mono());
}

Moment RunDriver::moment_of(MonoTime mono) {
  constexpr std::int64_t kWallReadingMs = 250;
  if (!wall_ || mono.ms - wall_->second.ms > kWallReadingMs) wall_ = {loop_.clock().wall(), mono};
  const WallTime wall{wall_->first.ms + (mono.ms - wall_->second.ms)};
  const auto since = std::max<std::int64_t>(0, mono.ms - started_.ms);
  return {std::max(wall, machine_.state().last_at), saturated(elapsed_before_ms_ + since)};
}

void RunDriver::execute(const std::vector<RunCommand>& commands) {
  if (stopped_) return;
  for (const auto& command : commands) {
    std::visit(Overloaded{
                   [&](const ReadFile& c) { read_file(c.index); },
                   [&](const CallModel&) { call_model(); },
                   [&](const CancelModel&) {},  // done in feed()
                   [&](const StopCode&) {},     // as well
                   [&](const RunCode&) { run_code(); },
                   [&](const AnswerCode& c) { answer_code(c.call_id); },
                   [&](const StartTool& c) { start_tool(c.call_id); },
                   [&](const DropTools&) { tools_.clear(); },
                   [&](const WatchExpiry& c) { watch_expiry(c); },
                   [&](const StartGrace&) {
                     grace_timer_ = loop_.after(limits_.tool_cancel_grace, [this] { feed(GraceOver{}); });
                   },
               },
               command);
  }
}

void RunDriver::stop() {
  if (stopped_) return;
  stopped_ = true;
  for (auto& ack : std::exchange(late_acks_, {})) refuse(std::move(ack));
  release_model();
  release_code();
  release_reading();
  tools_.clear();
  expiries_.clear();
  model_timer_.reset();
  grace_timer_.reset();
  work_timer_.reset();
  loop_.post(std::move(over_));
}

// ---- attached files ----

void RunDriver::read_file(std::uint32_t index) {
  const RunState& state = machine_.state();
  if (state.next_unread_attachment() != index || phase_of(state) != RunPhase::kQueued) return;  // interrupted meanwhile
  const auto left = limits_.extraction_request_time_max - reading_took_;
  if (files_ == nullptr || left.count() <= 0) {
    Error error = files_ != nullptr ? Error{ErrorCode::kBadFile, "was not read: the files took too long together", {}}
                                    : Error{ErrorCode::kUnavailable, "cannot be read by this server", {}};
    return feed(FileRead{index, fail(std::move(error))});
  }
  const auto time_max = std::min(left, limits_.extraction_time_max);
  reading_ = files_->read(state.request.session_id, state.request.attachments[index], time_max, loop_,
                          [this, index](Result<ExtractedText> found) {
                            release_reading();
                            if (found) reading_took_ += found->took;
                            if (!found && found.error().code != ErrorCode::kBadFile) {
                              log_error("an attached file cannot be read", {{"error", found.error().message}});
                            }
                            feed(FileRead{index, std::move(found)});
                          });
}

// It may be the one that is speaking right now, as with the model.
void RunDriver::release_reading() {
  if (reading_) loop_.post([reading = std::move(reading_)] {});
}

// ---- the model ----

void RunDriver::call_model() {
  if (phase_of(machine_.state()) != RunPhase::kThinking) return;  // interrupted while the turn was being committed
  is_one_moment_ = false;
  model_call_ = agent_->model->start(make_prompt(*agent_, history_, machine_.state(), limits_), *this, loop_);
  model_timer_ = loop_.after(limits_.model_call_time_max, [this] {
    feed(ModelBroke{{ErrorCode::kProviderTimeout, "The model took too long", {}}});
  });
}

// The call may be the one that is speaking right now: it is destroyed after this task, and not listened to
// before.
void RunDriver::release_model() {
  model_timer_.reset();
  if (model_call_) loop_.post([call = std::move(model_call_)] {});
}

void RunDriver::hear(const RunInput& input) {
  if (model_call_) take(input, heard_at(), {}, {});
}

void RunDriver::on_read_begin() {
  read_at_ = loop_.clock().mono();
  is_one_moment_ = true;
}

void RunDriver::on_text(std::string_view delta) {
  if (!model_call_ || stopped_) return;
  RunEvent& event = log_.draft();
  if (!machine_.say_on(delta, heard_at(), event)) return hear(ModelText{delta});
  log_.stays_at_work(written_);
  log_.append(written_, event);
}
void RunDriver::on_reasoning(std::string_view delta) {
  hear(ModelReasoning{delta});
}
void RunDriver::on_tool_call(unsigned slot, std::string_view provider_call_id, std::string_view name) {
  hear(ModelToolCall{slot, std::string(provider_call_id), std::string(name)});
}
void RunDriver::on_tool_args(unsigned slot, std::string_view fragment) {
  hear(ModelToolArgs{slot, std::string(fragment)});
}
void RunDriver::on_finished(ModelFinish finish) {
  hear(ModelDone{std::move(finish)});
  release_model();
}
void RunDriver::on_failed(Error error) {
  hear(ModelBroke{std::move(error)});
  release_model();
}

// ---- tools ----

void RunDriver::start_tool(ToolCallId id) {
  const ToolCallState* call = machine_.state().find_call(id);
  Tool* tool = call ? agent_->find_tool(call->name) : nullptr;
  BRAIDLOG_CHECK(tool != nullptr);
  if (call->phase != CallPhase::kRunning) return;  // given up while its intent was being committed
  const auto& request = machine_.state().request;
  auto args = parse_json(call->args_json);
  BRAIDLOG_CHECK(args.has_value());
  const auto timeout = tool->spec().timeout.value_or(limits_.tool_timeout);
  ToolInFlight& flight = tools_[id];
  // A tool that changes things may have done so, or may do so yet.
  const auto status = tool->spec().writes ? ToolStatus::kOutcomeUnknown : ToolStatus::kTimeout;
  flight.timeout = loop_.after(timeout, [this, id, status] {
    finish_tool(id, ToolOutcome::error(status, status == ToolStatus::kTimeout
                                                   ? "The tool took too long and was given up."
                                                   : "The tool took too long; its outcome is unknown."));
  });
  flight.run = tool->start({run_id_, request.session_id, request.user_id, id, std::move(*args)}, loop_,
                           [this, id](ToolOutcome outcome) { finish_tool(id, std::move(outcome)); });
}

void RunDriver::finish_tool(ToolCallId id, ToolOutcome outcome) {
  // Taken out first, destroyed last: this may be running inside its own timer or callback.
  const auto flight = tools_.extract(id);
  feed(ToolDone{id, std::move(outcome)});
}

// ---- code ----

void RunDriver::run_code() {
  const RunState& state = machine_.state();
  if (!state.code_open || phase_of(state) != RunPhase::kActing) return;  // interrupted while it was being committed
  if (!agent_->sandbox) {
    CodeOutcome none;
    none.unavailable = true;
    none.error = "This server has no sandbox to run code in";
    return feed(CodeEnded{std::move(none)});
  }
  if (!code_) {
    std::vector<CodeFunction> functions;
    for (auto& offer : offers_of(*agent_, state)) {
      functions.push_back({std::move(offer.name), std::move(offer.description), std::move(offer.parameters_json)});
    }
    code_ = agent_->sandbox->open(std::move(functions), *this, loop_);
  }
  code_->run(state.turns.back().code.value_or(""));
}

void RunDriver::answer_code(ToolCallId id) {
  const ToolCallState* call = machine_.state().find_call(id);
  // The code may have ended while the answer was being committed.
  if (!code_ || !std::exchange(code_asks_, false) || call == nullptr) return;
  if (call->phase != CallPhase::kFinished || call->status != ToolStatus::kOk) {
    return code_->answer({nullptr, call->result_text});
  }
  auto value = parse_json(call->value_json);
  code_->answer({value ? std::move(*value) : json::value(call->result_text), {}});
}

// It may be the one that is speaking right now, as with the model.
void RunDriver::release_code() {
  if (code_) loop_.post([session = std::move(code_)] {});
}

void RunDriver::on_code_call(std::string_view name, json::object args) {
  if (!code_) return;
  code_asks_ = true;
  feed(CodeCalled{std::string(name), std::move(args)});
}

void RunDriver::on_code_done(CodeOutcome outcome) {
  if (!code_) return;
  code_asks_ = false;
  feed(CodeEnded{std::move(outcome)});
}

// ---- waiting ----

void RunDriver::watch_expiry(const WatchExpiry& watch) {
  const auto left = std::max<std::int64_t>(0, watch.at_ms - loop_.clock().wall().ms);
  expiries_[watch.approval_id] =
      loop_.after(milliseconds(left), [this, id = watch.approval_id] { feed(ApprovalExpired{id}); });
}

// The limit counts working time: what a run spends waiting for people is taken off again when the timer
// fires.
void RunDriver::watch_working_time() {
  constexpr milliseconds kTick{60'000};
  const auto tick = std::min(kTick, limits_.run_time_max);
  const bool waiting = machine_.state().status() == RunStatus::kWaitingApproval;
  const auto now = loop_.clock().mono();
  if (waiting_since_) waited_ms_ += now.ms - waiting_since_->ms;
  waiting_since_ = waiting ? std::optional(now) : std::nullopt;
  if (now.ms - started_.ms - waited_ms_ >= limits_.run_time_max.count()) return feed(TimeUp{});
  work_timer_ = loop_.after(tick, [this] { watch_working_time(); });
}

}  // namespace braidlog
