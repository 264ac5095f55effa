// The state of a run: a fold over its events, and nothing else. The engine decides on it, queries read it,
// and recovery rebuilds it from the log; two folds over the same events are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/run_event.h"

namespace braidlog {

enum class RunStatus : std::uint8_t {
  kQueued = 0,
  kRunning = 1,
  kWaitingApproval = 2,
  kInterrupting = 3,
  kCompleted = 4,
  kFailed = 5,
  kInterrupted = 6,
};
inline bool is_over(RunStatus status) {
  return status >= RunStatus::kCompleted;
}

enum class CallPhase : std::uint8_t {
  kStreaming,  // the model is still writing it
  kReady,      // complete; nothing decided yet
  kWaiting,    // a person is asked
  kPermitted,  // approved; not started
  kRunning,    // the intent is logged
  kFinished,
  kRefused,
  kAbandoned,
};
inline bool is_closed(CallPhase phase) {
  return phase >= CallPhase::kFinished;
}

struct ToolCallState {
  ToolCallId id;
  std::uint32_t turn = 0;
  std::string name;
  std::string provider_call_id;
  bool by_code = false;
  std::string args_text;  // the model's own fragments
  std::string args_json;  // set when ready
  CallPhase phase = CallPhase::kStreaming;
  std::optional<ApprovalId> approval;
  std::int64_t expires_ms = 0;
  std::string asked_version;  // of the tool, when the approval was asked for
  ToolStatus status = ToolStatus::kOk;
  std::string result_text;  // result, error or refusal, as the model is told
  std::string value_json;   // the result of a call that code made, which gets the value itself
  bool operator==(const ToolCallState&) const = default;
};

struct TurnState {
  TurnPurpose purpose = TurnPurpose::kAnswer;
  bool has_reasoning = false;
  bool finished = false;
  FinishReason finish = FinishReason::kStop;
  std::string text;            // of a plan or a reflection too
  std::optional<TaskId> task;  // the one it works on, or reflects on
  std::optional<std::string> code;
  std::string observations;  // of its step: what the model is told came of it
  std::optional<std::string> error;
  std::optional<Usage> usage;
  std::vector<std::string> opaque;
  bool operator==(const TurnState&) const = default;
};

// A task as far as this run knows.
struct TaskState {
  TaskItem item;
  std::string result;
  bool worked_on = false;  // by this run
  bool operator==(const TaskState&) const = default;
};

// What the model, and contracts that show it, are told of a call that was refused for `reason`.
std::string refusal_text(std::string_view reason);

struct RunState {
  // What every word of the model touches stands first and together: with many runs each line of memory is a wait.
  Sequence last;  // of the last event folded in
  WallTime last_at;
  std::uint32_t elapsed_ms = 0;
  std::uint32_t parts = 0;  // parts begun so far
  std::uint64_t output_bytes = 0;
  std::vector<TurnState> turns;  // turn n is turns[n - 1]
  std::string text;              // all text of the run that clients saw
  bool text_open = false, reasoning_open = false;
  bool is_begun = false;
  RunStatus ended = RunStatus::kQueued;  // one of the three ends, or kQueued while the run lives
  FailureCode failure = FailureCode::kInternal;
  std::optional<std::string> interrupt_reason;

  RunQueued request;
  RunStarted begun;  // valid when is_begun
  WallTime queued_at, started_at, ended_at;
  std::uint32_t attachments_read = 0;   // those before it are read, or were text from the start
  std::vector<ToolCallState> calls;     // in the order the model made them
  std::uint32_t steps = 0;              // plans and actions
  std::uint32_t actions_unplanned = 0;  // since the last plan
  bool has_plan = false;
  bool code_open = false;       // code of the last turn was begun and its step is not finished
  bool variables_lost = false;  // code ran before a restart, and none since

  std::vector<TaskState> tasks;       // by order
  std::optional<TaskId> task;         // in hand
  std::optional<TaskId> reflects_on;  // finished, its reflection is to come
  std::optional<Usage> usage;         // over all turns that reported any
  std::string title;                  // of the session: at the start, and then as the end of the run says
  bool without_tools = false;         // they could not be used: the model is called without them

  std::string failure_message;
  std::string final_text;

  void apply(const RunEvent& event);

  RunStatus status() const;
  bool is_thinking() const { return !turns.empty() && !turns.back().finished; }
  const ToolCallState* find_call(ToolCallId id) const;
  const ToolCallState* find_approval(ApprovalId id) const;
  const TaskState* find_task(TaskId id) const;
  const TaskState* next_pending_task() const;
  // Of an attachment whose text is still to be found, before the first turn.
  std::optional<std::uint32_t> next_unread_attachment() const;
  bool operator==(const RunState&) const = default;
};

}  // namespace braidlog
