// Tool calls: started (args delta)* then ready or abandoned. Ready: [input requested, input given] then either refused
// (input given with kRejected is the end of the call) or tool started, tool finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

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

// The code of this turn is about to run in the sandbox: durable before it does. Its end is the end of the step.
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

}  // namespace braidlog
