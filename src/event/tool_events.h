// A call is started, gets its arguments, and is then ready or abandoned. A ready call may wait for a person; then it is
// refused, which is its end (`input.given`, rejected), or it runs. A call whose arguments do not fit its tool finishes
// without having started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

// The model begins to write a call; with `by_code` code in the sandbox makes one.
// When: As the model writes, or while its code runs.
struct ToolCallStarted {
  ToolCallId call_id;
  std::uint32_t turn = 0;
  std::string name;
  std::string provider_call_id;
  bool by_code = false;  // called from the code of this turn, not by the model itself
  bool operator==(const ToolCallStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("turn", s.turn);
    v("name", s.name);
    v("provider_call_id", s.provider_call_id);
    v("by_code", s.by_code);
  }
};

// More of the arguments, in the model's own spelling.
// When: As the model writes.
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

// The call is complete; its arguments as a JSON object.
// When: When the model is done with it.
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

// The call was never completed and will not run.
// When: When the model's turn ends too early.
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

// The run asks a person, about this version of a tool that may change; with `decided_by_policy` nobody is asked and
// the refusal follows at once.
// When: Before a tool that writes may run.
struct InputRequested {
  ApprovalId input_id;
  InputKind kind = InputKind::kApproval;
  ToolCallId call_id;
  std::string tool_name;
  std::string args_json;
  std::int64_t expires_ms = 0;     // wall time; 0: never
  bool decided_by_policy = false;  // `deny`: nobody is asked
  std::string tool_version{};      // of a tool that may change: what the person was asked about
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
    v("tool_version", s.tool_version);
  }
};

// The answer, by a person, by the clock, by policy or by an interrupt.
// When: Once for each request.
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

// The intent to run the tool, and why it may: it only reads, a person approved, the agent's policy, the session's
// settings.
// When: Durable before the tool is touched.
struct ToolStarted {
  ToolCallId call_id;
  std::string name;
  Permission permission = Permission::kReads;
  std::string display{};  // what people are shown meanwhile; empty: nothing
  bool operator==(const ToolStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("name", s.name);
    v("permission", s.permission);
    v("display", s.display);
  }
};

// The result, or the error, as a JSON value and as text, and what people may be shown of a success.
// When: After the tool; after a restart with status outcome unknown.
struct ToolFinished {
  ToolCallId call_id;
  std::string name;
  ToolStatus status = ToolStatus::kOk;
  std::string value_json;  // the result as a JSON value
  std::string text;        // the result, or the error, as text
  std::string display{};   // what people are shown of a success; empty: nothing
  bool operator==(const ToolFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("call_id", s.call_id);
    v("name", s.name);
    v("status", s.status);
    v("value_json", s.value_json);
    v("text", s.text);
    v("display", s.display);
  }
};

// The code of a turn is about to run in the sandbox; its end is `step.finished`.
// When: Durable before the code runs.
struct CodeStarted {
  std::uint32_t turn = 0;
  std::string code;
  bool operator==(const CodeStarted&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("turn", s.turn);
    v("code", s.code);
  }
};

// A turn that had code or tool calls is over, with what came of it.
// When: After the last of its calls.
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

}  // namespace braidlog
