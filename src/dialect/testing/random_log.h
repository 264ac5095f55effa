// Logs that no engine would write: every kind of event in any order, about a few calls. For properties that must hold
// whatever a log says.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "event/run_event.h"

namespace braidlog::testing {

namespace random_log_detail {

inline std::string any_text() {
  return to_valid_utf8(*rc::gen::arbitrary<std::string>());
}
inline ToolCallId any_call() {
  ToolCallId id;
  id.value.bytes[15] = *rc::gen::inRange<std::uint8_t>(1, 4);
  return id;
}
inline std::string any_tool() {
  return *rc::gen::element<std::string>("alert_admin", "file_write", "final_answer");
}

template <std::size_t... I>
RunEventBody empty_body(std::size_t index, std::index_sequence<I...>) {
  RunEventBody body;
  ((I == index ? void(body = RunEventBody(std::in_place_index<I>)) : void()), ...);
  return body;
}

// Fills what projections look at.
struct Fill {
  template <class Body>
  void operator()(Body&) const {}
  void operator()(TextDelta& e) const { e.text = any_text(); }
  void operator()(ToolCallStarted& e) const { e.call_id = any_call(), e.name = any_tool(); }
  void operator()(ToolArgsDelta& e) const { e.call_id = any_call(), e.fragment = any_text(); }
  void operator()(ToolCallReady& e) const {
    e.call_id = any_call(), e.name = any_tool();
    e.args_json = *rc::gen::element<std::string>("{}", R"({"a":{"token":"x"}})", "");
  }
  void operator()(ToolCallAbandoned& e) const { e.call_id = any_call(); }
  void operator()(InputRequested& e) const {
    e.call_id = any_call(), e.tool_name = any_tool(), e.decided_by_policy = *rc::gen::arbitrary<bool>();
  }
  void operator()(InputGiven& e) const {
    e.call_id = any_call();
    e.verdict = *rc::gen::element(Verdict::kApproved, Verdict::kRejected);
    e.reason = *rc::gen::element<std::string>("interrupted", "denied", "timeout", "no");
  }
  void operator()(ToolStarted& e) const { e.call_id = any_call(), e.name = any_tool(), e.display = any_text(); }
  void operator()(ToolFinished& e) const {
    e.call_id = any_call(), e.name = any_tool(), e.text = any_text();
    e.status = static_cast<ToolStatus>(*rc::gen::inRange(0, 6));
    e.value_json = *rc::gen::element<std::string>("null", R"({"key":"x"})", "\"y\"", "");
  }
  void operator()(Warning& e) const { e.code = "code", e.message = any_text(); }
  void operator()(RunFailed& e) const { e.message = any_text(); }
};

}  // namespace random_log_detail

// Begins with run.queued; nothing follows a terminal event.
inline std::vector<RunEvent> random_log() {
  namespace detail = random_log_detail;
  constexpr std::size_t kKinds = std::variant_size_v<RunEventBody>;
  const auto length = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<RunEvent> events;
  while (events.size() < length && (events.empty() || !is_terminal(events.back().body))) {
    const auto kind = events.empty() ? 0 : *rc::gen::inRange<std::size_t>(1, kKinds);
    RunEventBody body = detail::empty_body(kind, std::make_index_sequence<kKinds>());
    std::visit(detail::Fill{}, body);
    const std::uint64_t sequence = events.size() + 1;
    events.push_back({{sequence},
                      {1'771'102'980'000 + static_cast<std::int64_t>(sequence)},
                      static_cast<std::uint32_t>(sequence),
                      std::move(body)});
  }
  return events;
}

}  // namespace braidlog::testing
