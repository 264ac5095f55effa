// The rules for questions that a small tool can answer.
#include "base/json.h"
#include "provider/offline/phrases.h"
#include "provider/offline/question_text.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kReasonBytesMax = 200;

}  // namespace

std::optional<Answer> calculate(const Situation& situation) {
  const auto expression = expression_in(situation.ask);
  if (!expression) return std::nullopt;
  const auto calls = situation.calls_of("calculator");
  if (!calls.empty()) {
    const std::string result = calls.back().result ? shorten(*calls.back().result, kReasonBytesMax) : "";
    const bool number = !result.empty() && (result[0] == '-' || (result[0] >= '0' && result[0] <= '9'));
    if (number) return say(*expression + " = " + result);
    return say("I could not calculate " + *expression + ": " + (result.empty() ? "no result came back" : result));
  }
  if (!situation.offers("calculator")) return std::nullopt;
  std::string args;
  JsonWriter(args).begin_object().key("expression").string(*expression).end_object();
  return Answer{.pieces = {Say{"I will calculate that."}, CallTool{"calculator", std::move(args)}}};
}

std::optional<Answer> tell_time(const Situation& situation) {
  if (!asks_for_time(situation.ask)) return std::nullopt;
  const auto calls = situation.calls_of("current_datetime");
  if (!calls.empty()) {
    const std::string result = calls.back().result ? shorten(*calls.back().result, kReasonBytesMax) : "";
    return say(result.empty() ? "I could not find out the time." : "The clock says " + result + ".");
  }
  if (!situation.offers("current_datetime")) return std::nullopt;
  const std::string offset = offset_asked_for(situation.ask);
  std::string args;
  JsonWriter writer(args);
  writer.begin_object();
  if (!offset.empty()) writer.key("timezone").string(offset);
  writer.end_object();
  return Answer{.pieces = {Say{"I will look at the clock."}, CallTool{"current_datetime", std::move(args)}}};
}

}  // namespace braidlog::provider
