// Decides what a run does next. Pure: a state and an input give events and commands; the driver
// (run_driver.h) appends the events and does the commands. All there is to know about a run's course is the
// table in run_machine.cpp:
//
//   phase         the run …
//   kQueued       is durable, its first turn has not begun: perhaps it waits for others of its session, or its
//                 attached files are being read
//   kThinking     waits for the model, whose answer is coming in
//   kActing       has tool calls or code open: waiting for people, running, or both
//   kInterrupting was told to stop and waits for tools in flight
//   kOver         has its terminal event; nothing happens any more
//
// What follows a turn depends on the way of the run (Way): converse answers or calls tools; steps plans in between and
// has a last turn for the answer; execute goes through the tasks of the session, each with its turns, a result and a
// reflection. An agent of style code acts by code in the sandbox in each of these ways; a call that comes from code is
// a tool call like any other.
//
// Runs on: the io thread of the run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "engine/run_command.h"
#include "engine/run_input.h"
#include "event/run_state.h"
#include "port/agent_catalog.h"

namespace braidlog {

enum class RunPhase : std::uint8_t { kQueued, kThinking, kActing, kInterrupting, kOver };
inline constexpr std::size_t kRunPhases = 5;

RunPhase phase_of(const RunState& state);

// When an input came: what its events are stamped with.
struct Moment {
  WallTime at;
  std::uint32_t elapsed_ms = 0;  // since the run was queued
};

// What the session says about approvals; it may change while a run is under way.
struct SessionPolicy {
  bool auto_approve = false;
  std::vector<std::string> approved_tools;
};

class RunMachine {
 public:
  // `state` is the fold of the run's log so far. `ids` outlives the machine.
  RunMachine(std::shared_ptr<const RunnableAgent> agent, const Limits& limits, SessionPolicy policy, IdSource& ids,
             RunState state);

  // Decides. The events are already folded into state() when this returns.
  // An input that means nothing in this phase (it came too late) gives an empty step. The step is valid until the
  // next call; what the caller needs longer it moves out.
  RunStep& handle(const RunInput& input, Moment now);

  // The same for a further piece of a text that is being said, which is what nearly every input is and needs no
  // decision: `event` is then the one event of the step. False: handle() is to decide.
  bool say_on(std::string_view text, Moment now, RunEvent& event);

  const RunState& state() const { return state_; }
  RunState take_state() && { return std::move(state_); }
  void set_auto_approve(bool enabled) { policy_.auto_approve = enabled; }
  void set_policy(SessionPolicy policy) { policy_ = std::move(policy); }
  // The session was renamed while the run is under way.
  void set_title(std::string title) { new_title_ = std::move(title); }

  // True when the table has an answer for this input in this phase.
  static bool expects(RunPhase phase, std::size_t input_index);

 private:
  using Handler = void (RunMachine::*)(const RunInput&);
  static Handler handler(RunPhase phase, std::size_t input_index);

  // One handler per kind of input; the table says where each applies.
  void begin(const RunInput& input);
  void resume(const RunInput& input);
  void model_text(const RunInput& input);
  void model_reasoning(const RunInput& input);
  void model_tool_call(const RunInput& input);
  void model_tool_args(const RunInput& input);
  void model_done(const RunInput& input);
  void model_broke(const RunInput& input);
  void tool_done(const RunInput& input);
  void decision(const RunInput& input);
  void expired(const RunInput& input);
  void interrupt(const RunInput& input);
  void grace_over(const RunInput& input);
  void time_up(const RunInput& input);
  void code_called(const RunInput& input);
  void code_ended(const RunInput& input);
  void file_read(const RunInput& input);

  // Steps that handlers share.
  template <class Body>
  void emit(Body body) {
    // Built where it stays: an event is as large as its largest kind, and this runs once per token.
    state_.apply(step_.events.emplace_back(state_.last.next(), now_.at, now_.elapsed_ms,
                                           RunEventBody(std::in_place_type<Body>, std::move(body))));
  }
  void command(RunCommand command) { step_.commands.push_back(std::move(command)); }
  void begin_work();  // the next attachment whose text is to be found, else the first turn
  void go_on();       // the next turn, or the next task, or the end
  void next_turn(bool continues = false);
  TurnPurpose next_purpose() const;
  std::size_t answers_so_far() const;
  bool is_silent_turn() const;
  void model_failed(FailureCode code, const std::string& message);
  void turn_over();
  void say(std::string_view text);
  void release_held(bool cut = false);
  void note_first_chunk();
  void act();  // does whatever the open calls allow; ends the turn when none is open
  void finish_turn();
  bool ends_by_refusal();
  const ToolCallState* own_call(std::string_view name) const;  // of this turn, that went well

  // Code (run_machine_code.cpp).
  bool start_code();
  void finish_code(const CodeOutcome& outcome);
  void stop_code();
  CodeOutcome lost_code() const;

  // Tasks and the engine's own tools (run_machine_tasks.cpp).
  void answer_own_tool(const ToolCallState& call);
  void set_tasks(const ToolCallState& call);
  void next_task();
  void finish_task(TaskStatus status, std::string result);
  bool has_tool(const ToolCallState& call);
  std::optional<Permission> gate(const ToolCallState& call);
  void ask(const ToolCallState& call, bool denied);
  bool asks_again(const ToolCallState& call);
  void refuse(const ToolCallState& call, std::string reason, std::string user_id);
  void close_parts(bool cut = false);  // cut: the answer did not come to its end
  void close_model_turn(FinishReason finish, std::string raw);
  void drop_turn();
  void end_without_client();
  void stop_working();  // closes everything that is open, but for tools in flight
  void finish_interrupt();
  void resume_thinking();
  void complete(std::optional<json::value> answer = {});
  void fail_run(FailureCode code, std::string message);
  bool output_over_limit();

  const Limits& limits_;
  std::optional<std::uint32_t> first_chunk_ms_;
  // The first text of a turn that continues another is held until it is known whether it repeats the other's end.
  bool holding_ = false;
  RunState state_;  // behind what is read with its beginning for every word
  std::shared_ptr<const RunnableAgent> agent_;
  SessionPolicy policy_;
  IdSource& ids_;
  std::optional<std::string> new_title_;
  std::map<unsigned, ToolCallId> slots_;  // the model's names for the calls of this turn
  std::string held_;
  std::string silent_;  // what the model wrote in a turn that becomes one event: a plan, a reflection
  bool code_runs_ = false;
  std::optional<ToolCallId> code_waits_;   // for this call of its own
  std::optional<CodeOutcome> code_ended_;  // while a call of the code is still open
  std::uint32_t turn_began_ms_ = 0;

  // What handle() answers with; kept for its memory.
  RunStep step_;
  Moment now_;
};

}  // namespace braidlog
