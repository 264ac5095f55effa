#include "provider/offline/failure.h"

#include <algorithm>
#include <utility>

#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kToldBytesMax = 200;

Piece failing(ErrorCode code, std::string message) {
  return Fail{Error{code, std::move(message), {}}};
}

std::string some_tool(const Situation& situation) {
  return situation.tools.empty() ? "file_write" : situation.tools.front();
}

// First the broken call, then, once its result is there, a normal answer that knows nothing of it.
Answer after_broken_call(const Situation& situation, CallTool broken) {
  if (situation.calls.empty()) {
    return Answer{.pieces = {Say{"I will use a tool."}, std::move(broken)}};
  }
  Situation rest = situation;
  rest.calls.erase(rest.calls.begin());
  Answer answer = answer_for(rest);
  if (!rest.calls.empty()) return answer;
  const auto& told = situation.calls.front().result;
  const std::string words = told ? shorten(*told, kToldBytesMax) : "nothing";
  answer.pieces.insert(answer.pieces.begin(), Say{"My call did not work. I was told: " + words + "\n\n"});
  return answer;
}

// The same for a model that acts by code: code that cannot run, then, once it was told so, a normal answer.
Answer after_broken_code(const Situation& situation, const char* broken) {
  if (!situation.actions.empty()) return answer_for(situation);
  return say("I will run some code.\n\n```python\n" + std::string(broken) + "\n```");
}

// A turn without tools has none to call wrongly.
bool can_act(const Situation& situation) {
  return situation.purpose == TurnPurpose::kAnswer;
}

Answer break_call(const Situation& situation, CallTool broken, const char* broken_code) {
  if (!can_act(situation)) return answer_for(situation);
  if (situation.writes_code) return after_broken_code(situation, broken_code);
  return after_broken_call(situation, std::move(broken));
}

Answer cut_in_call(const Situation& situation) {
  const auto cut = [](const char* where) {
    return failing(ErrorCode::kUpstreamTruncated, std::string("The model's answer was cut off") + where);
  };
  if (!can_act(situation)) return {{Say{"This answer begins well, and then"}, cut("")}};
  if (situation.writes_code) {
    return {{Say{"I will run some code.\n\n```python\nresult = sum("}, cut(" inside its code")}};
  }
  return {{Say{"I will use a tool."}, CallTool{some_tool(situation), R"({"path":"notes.md","content":"Half of)"},
           cut(" inside a tool call")}};
}

Answer without_usage(Answer answer) {
  answer.reports_usage = false;
  return answer;
}

}  // namespace

const std::vector<std::string>& offline_failure_kinds() {
  static const std::vector<std::string> kinds{"provider_error", "rate_limit", "timeout",      "truncated",
                                              "cut_in_args",    "bad_args",   "unknown_tool", "no_usage",
                                              "hang",           "endless",    "empty",        "tools_refused"};
  return kinds;
}

std::optional<Failure> parse_failure(std::string_view kind) {
  const auto& kinds = offline_failure_kinds();
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<Failure>(found - kinds.begin());
}

Answer fail_as(Failure failure, const Situation& situation) {
  switch (failure) {
    case Failure::kProviderError: return {{failing(ErrorCode::kProvider, "LLM request failed")}};
    case Failure::kRateLimit:
      return {{failing(ErrorCode::kProviderRateLimited, "The model provider is limiting requests")}};
    case Failure::kTimeout:
      return {{failing(ErrorCode::kProviderTimeout, "The model provider did not answer in time")}};
    case Failure::kTruncated:
      return {{Say{"This answer begins well, and then"},
               failing(ErrorCode::kUpstreamTruncated, "The model's answer was cut off")}};
    case Failure::kCutInArgs: return cut_in_call(situation);
    case Failure::kBadArgs:
      return break_call(situation, {some_tool(situation), R"({"path": notes.md,)"}, "print(\"never closed");
    case Failure::kUnknownTool:
      return break_call(situation, {"no_such_tool", R"({"really":true})"}, "no_such_tool(really=True)");
    case Failure::kNoUsage: return without_usage(answer_for(situation));
    case Failure::kHang: return {{Say{"Well,"}, FallSilent{}}};
    case Failure::kEndless: return {{SayForever{"and so it goes on, word after word, "}}};
    case Failure::kEmpty: return {};
    case Failure::kToolsRefused:
      if (situation.tools.empty()) return answer_for(situation);
      return {{failing(ErrorCode::kToolsRefused, "The model cannot be used with tools")}};
  }
  return {};
}

}  // namespace braidlog::provider
