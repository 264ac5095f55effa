// The canonical events of a run: everything that happens in a run, in no contract's words. A run's log is a sequence
// of these; its state is a fold over them (event/run_state.h); what a client sees is a projection of them
// (dialect/). Rules:
//   - An event says what happened, completely enough that a replay a year later gives the same bytes.
//   - Each struct lists its fields once, in fields(); both encodings and the tests use that list. A durable record
//     holds the fields in this order, so new fields go to the end, and none is ever removed or re-typed.
//   - Adding an event: the struct, its line in RunEventBody and event_type.h, an arm in the fold, a row in
//     docs/event-catalog.md, and a decision in every projection (they switch without default).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "event/sequence.h"

namespace braidlog {

// How the engine works on a run.
enum class Way : std::uint8_t { kConverse = 0, kSteps = 1, kExecute = 2 };
// What a model call is for.
enum class TurnPurpose : std::uint8_t { kAnswer = 0, kPlan = 1, kReflection = 2, kFinal = 3 };
// Why a model stopped, unified over providers.
enum class FinishReason : std::uint8_t {
  kStop = 0,
  kLength = 1,
  kToolCalls = 2,
  kContentFilter = 3,
  kRefusal = 4,
  kError = 5,
  kAborted = 6,
};
enum class InputKind : std::uint8_t { kApproval = 0 };
enum class Verdict : std::uint8_t { kApproved = 0, kRejected = 1 };
// How a tool call ended.
enum class ToolStatus : std::uint8_t {
  kOk = 0,
  kToolError = 1,
  kInvalidArguments = 2,
  kTimeout = 3,
  kOutcomeUnknown = 4,
  kCancelled = 5,
};
// Why a run failed; the words that a contract uses for it are the contract's.
enum class FailureCode : std::uint8_t {
  kProvider = 0,
  kProviderTimeout = 1,
  kRateLimited = 2,
  kUpstreamTruncated = 3,
  kMaxSteps = 4,
  kLimitExceeded = 5,
  kStorage = 6,
  kInternal = 7,
};
enum class TaskStatus : std::uint8_t { kPending = 0, kInProgress = 1, kDone = 2, kFailed = 3 };
enum class DataOperation : std::uint8_t { kCreate = 0, kUpdate = 1, kDelete = 2 };

struct Usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cached_input_tokens = 0;
  std::uint64_t cache_write_tokens = 0;
  std::uint64_t reasoning_tokens = 0;
  bool operator==(const Usage&) const = default;
  std::uint64_t total_tokens() const { return input_tokens + output_tokens; }
  Usage& operator+=(const Usage& other);
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("input_tokens", s.input_tokens);
    v("output_tokens", s.output_tokens);
    v("cached_input_tokens", s.cached_input_tokens);
    v("cache_write_tokens", s.cache_write_tokens);
    v("reasoning_tokens", s.reasoning_tokens);
  }
};

struct TaskItem {
  TaskId id;
  std::string title;
  std::string description;
  TaskStatus status = TaskStatus::kPending;
  std::uint32_t order = 0;
  bool operator==(const TaskItem&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("id", s.id);
    v("title", s.title);
    v("description", s.description);
    v("status", s.status);
    v("order", s.order);
  }
};

// ---- The run begins ----

// The request was accepted and is durable. Always sequence 1.
struct RunQueued {
  SessionId session_id;
  std::string user_id;
  std::string contract;  // the dialect that began the run
  Way way = Way::kConverse;
  std::string agent;
  std::string text;                    // what the user said; empty for an execute run
  std::optional<std::string> context;  // for this turn's model call only; never a message
  bool operator==(const RunQueued&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("session_id", s.session_id);
    v("user_id", s.user_id);
    v("contract", s.contract);
    v("way", s.way);
    v("agent", s.agent);
    v("text", s.text);
    v("context", s.context);
  }
};

// The turn begins. Carries what frames need of the world outside the run.
struct RunStarted {
  SessionId session_id;
  std::string user_id;
  std::string contract;
  std::string agent;
  std::string agent_version;
  std::vector<std::string> tool_names;
  std::string title;  // the session's, at this moment
  std::string text;
  MessageId user_message_id;
  MessageId assistant_message_id;
  std::uint64_t message_position = 0;  // messages in the session, this user's message included
  bool operator==(const RunStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("session_id", s.session_id);
    v("user_id", s.user_id);
    v("contract", s.contract);
    v("agent", s.agent);
    v("agent_version", s.agent_version);
    v("tool_names", s.tool_names);
    v("title", s.title);
    v("text", s.text);
    v("user_message_id", s.user_message_id);
    v("assistant_message_id", s.assistant_message_id);
    v("message_position", s.message_position);
  }
};

// The run goes on after a restart of the server.
struct RunResumed {
  std::string reason;
  bool operator==(const RunResumed&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("reason", s.reason);
  }
};

// Somebody asked the run to stop; acknowledged only once this is durable.
struct InterruptRequested {
  std::string user_id;
  std::string reason;  // "user", "session_deleted", "client_gone"
  bool operator==(const InterruptRequested&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("user_id", s.user_id);
    v("reason", s.reason);
  }
};

// ---- A model's turn ----
// `turn` counts the model calls of the run from 1; `part` counts the pieces of text and reasoning of the whole run
// from 1, so (turn) names a message and (part) one block of it. A text delta of part 0 is the engine's own: the blank
// line between the texts of two turns, which belongs to neither.

struct ModelStarted {
  std::uint32_t turn = 0;
  TurnPurpose purpose = TurnPurpose::kAnswer;
  std::string provider;
  std::string model;
  bool continues = false;  // goes on with the text of the turn before it, which a restart cut
  bool operator==(const ModelStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("purpose", s.purpose);
    v("provider", s.provider);
    v("model", s.model);
    v("continues", s.continues);
  }
};

struct TextStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};
struct TextDelta {
  std::uint32_t turn = 0, part = 0;
  std::string text;
  bool operator==(const TextDelta&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
    v("text", s.text);
  }
};
struct TextFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const TextFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};
struct ReasoningStarted {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};
struct ReasoningDelta {
  std::uint32_t turn = 0, part = 0;
  std::string text;
  bool operator==(const ReasoningDelta&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
    v("text", s.text);
  }
};
struct ReasoningFinished {
  std::uint32_t turn = 0, part = 0;
  bool operator==(const ReasoningFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("part", s.part);
  }
};

struct ModelFinished {
  std::uint32_t turn = 0;
  FinishReason finish = FinishReason::kStop;
  std::string finish_raw;
  std::string response_id;
  std::optional<Usage> usage;  // absent when the provider reported none
  std::uint32_t first_chunk_ms = 0;
  std::vector<std::string> opaque;  // provider blobs, sent back to the same provider only
  bool operator==(const ModelFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("finish", s.finish);
    v("finish_raw", s.finish_raw);
    v("response_id", s.response_id);
    v("usage", s.usage);
    v("first_chunk_ms", s.first_chunk_ms);
    v("opaque", s.opaque);
  }
};

// A planning turn's whole text; it was never a text delta.
struct PlanMade {
  std::uint32_t step_number = 0;
  std::string text;
  std::optional<Usage> usage;
  bool operator==(const PlanMade&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("step_number", s.step_number);
    v("text", s.text);
    v("usage", s.usage);
  }
};

// ---- Tool calls ----
// started (args delta)* then ready or abandoned. Ready: [input requested, input given] then either refused (input
// given with kRejected is the end of the call) or tool started, tool finished.

struct ToolCallStarted {
  ToolCallId call_id;
  std::uint32_t turn = 0;
  std::string name;
  std::string provider_call_id;
  bool operator==(const ToolCallStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("turn", s.turn);
    v("name", s.name);
    v("provider_call_id", s.provider_call_id);
  }
};
struct ToolArgsDelta {
  ToolCallId call_id;
  std::string fragment;
  bool operator==(const ToolArgsDelta&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("fragment", s.fragment);
  }
};
struct ToolCallReady {
  ToolCallId call_id;
  std::string name;
  std::string args_json;  // a JSON object in our spelling; "{}" when the model's own was no JSON object
  bool operator==(const ToolCallReady&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("name", s.name);
    v("args_json", s.args_json);
  }
};
struct ToolCallAbandoned {
  ToolCallId call_id;
  std::string reason;
  bool operator==(const ToolCallAbandoned&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("reason", s.reason);
  }
};

// The run waits for a person. With policy `deny` request and refusal are logged together.
struct InputRequested {
  ApprovalId input_id;
  InputKind kind = InputKind::kApproval;
  ToolCallId call_id;
  std::string tool_name;
  std::string args_json;
  std::int64_t expires_ms = 0;     // wall time; 0: never
  bool decided_by_policy = false;  // `deny`: nobody is asked
  bool operator==(const InputRequested&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("input_id", s.input_id);
    v("kind", s.kind);
    v("call_id", s.call_id);
    v("tool_name", s.tool_name);
    v("args_json", s.args_json);
    v("expires_ms", s.expires_ms);
    v("decided_by_policy", s.decided_by_policy);
  }
};
struct InputGiven {
  ApprovalId input_id;
  InputKind kind = InputKind::kApproval;
  ToolCallId call_id;
  Verdict verdict = Verdict::kApproved;
  std::string reason;   // of a rejection: "user_rejected", "denied", "timeout", "interrupted" or the user's own words
  std::string user_id;  // empty when no person decided
  bool apply_to_future = false;
  bool operator==(const InputGiven&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("input_id", s.input_id);
    v("kind", s.kind);
    v("call_id", s.call_id);
    v("verdict", s.verdict);
    v("reason", s.reason);
    v("user_id", s.user_id);
    v("apply_to_future", s.apply_to_future);
  }
};

// The intent: durable before the tool is touched.
struct ToolStarted {
  ToolCallId call_id;
  std::string name;
  bool operator==(const ToolStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("name", s.name);
  }
};
struct ToolFinished {
  ToolCallId call_id;
  std::string name;
  ToolStatus status = ToolStatus::kOk;
  std::string value_json;  // the result as a JSON value
  std::string text;        // the result, or the error, as text
  bool operator==(const ToolFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("name", s.name);
    v("status", s.status);
    v("value_json", s.value_json);
    v("text", s.text);
  }
};

// A turn that had code or tool calls is over.
struct StepFinished {
  std::uint32_t step_number = 0;
  std::uint32_t turn = 0;
  std::string model_output;
  std::optional<std::string> code_action;
  std::string observations;
  std::optional<std::string> error;
  std::optional<Usage> usage;
  bool operator==(const StepFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("step_number", s.step_number);
    v("turn", s.turn);
    v("model_output", s.model_output);
    v("code_action", s.code_action);
    v("observations", s.observations);
    v("error", s.error);
    v("usage", s.usage);
  }
};

// ---- Tasks, artifacts, data items ----

struct ArtifactCreated {
  ArtifactId artifact_id;
  std::optional<TaskId> task_id;
  std::string name;
  std::string type;
  bool operator==(const ArtifactCreated&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("artifact_id", s.artifact_id);
    v("task_id", s.task_id);
    v("name", s.name);
    v("artifact_type", s.type);
  }
};
struct DataModified {
  DataItemId item_id;
  std::optional<TaskId> task_id;
  DataOperation operation = DataOperation::kCreate;
  std::string item_type;
  bool operator==(const DataModified&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("item_id", s.item_id);
    v("task_id", s.task_id);
    v("operation", s.operation);
    v("item_type", s.item_type);
  }
};
struct TasksReplaced {
  std::vector<TaskItem> tasks;  // the whole list
  bool operator==(const TasksReplaced&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("tasks", s.tasks);
  }
};
struct TaskSelected {
  TaskId task_id;
  bool operator==(const TaskSelected&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
  }
};
struct TaskFinished {
  TaskId task_id;
  TaskStatus status = TaskStatus::kDone;
  std::string result;
  std::optional<std::string> error;
  bool operator==(const TaskFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
    v("status", s.status);
    v("result", s.result);
    v("error", s.error);
  }
};
struct ReflectionMade {
  TaskId task_id;
  std::string text;
  bool operator==(const ReflectionMade&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
    v("text", s.text);
  }
};

// A problem that does not end the run.
struct Warning {
  std::string code;
  std::string message;
  bool operator==(const Warning&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("code", s.code);
    v("message", s.message);
  }
};

// ---- The run ends: exactly one of these, and nothing after it ----

struct RunCompleted {
  std::string final_text;                 // what final_answer was given as text, else the last turn's text
  std::optional<std::string> final_json;  // what final_answer was given, as JSON
  std::string message_text;               // the stored assistant message; empty when none is stored
  std::optional<Usage> usage;             // of the whole run
  std::uint64_t message_position = 0;     // messages in the session, the answer included
  std::string title;
  std::uint32_t tasks_total = 0, tasks_done = 0, tasks_failed = 0;
  bool operator==(const RunCompleted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("final_text", s.final_text);
    v("final_json", s.final_json);
    v("message_text", s.message_text);
    v("usage", s.usage);
    v("message_position", s.message_position);
    v("title", s.title);
    v("tasks_total", s.tasks_total);
    v("tasks_done", s.tasks_done);
    v("tasks_failed", s.tasks_failed);
  }
};
struct RunFailed {
  FailureCode code = FailureCode::kInternal;
  std::string message;
  bool operator==(const RunFailed&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("code", s.code);
    v("message", s.message);
  }
};
struct RunInterrupted {
  std::string reason;
  bool operator==(const RunInterrupted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("reason", s.reason);
  }
};

using RunEventBody =
    std::variant<RunQueued, RunStarted, RunResumed, InterruptRequested, ModelStarted, TextStarted, TextDelta,
                 TextFinished, ReasoningStarted, ReasoningDelta, ReasoningFinished, ModelFinished, PlanMade,
                 ToolCallStarted, ToolArgsDelta, ToolCallReady, ToolCallAbandoned, InputRequested, InputGiven,
                 ToolStarted, ToolFinished, StepFinished, ArtifactCreated, DataModified, TasksReplaced, TaskSelected,
                 TaskFinished, ReflectionMade, Warning, RunCompleted, RunFailed, RunInterrupted>;

struct RunEvent {
  Sequence sequence;
  WallTime at;                   // wall time when it happened
  std::uint32_t elapsed_ms = 0;  // milliseconds since the run was queued, never stepping back
  RunEventBody body;
  bool operator==(const RunEvent&) const = default;
};

bool is_terminal(const RunEventBody& body);

}  // namespace braidlog
