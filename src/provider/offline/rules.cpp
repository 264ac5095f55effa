#include "provider/offline/rules.h"

#include <array>
#include <utility>

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

// Wishes before questions; the knowledge base, which takes any question, last.
constexpr std::array<Rule, 12> kRules{
    repeat_exactly, rename_file, write_files,       tell_long_story, list_files,  read_file,
    alert_admin,    calculate,   quote_attachments, tell_time,       tell_status, search_knowledge,
};

Answer first_fit(const Situation& situation) {
  for (const Rule rule : kRules) {
    if (auto answer = rule(situation)) return std::move(*answer);
  }
  return introduce_itself(situation);
}

// What follows a leading "think" or "reason"; the whole text when there is none.
std::string_view without_order_to_think(std::string_view ask) {
  const auto text = trim(ask);
  const auto words = split_words(text.substr(0, 64));
  if (words.empty() || !is_one_of(words[0].lower, {"think", "reason"})) return ask;
  auto rest = text.substr(words[0].end);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':' || rest.front() == ',')) rest.remove_prefix(1);
  return rest.empty() ? ask : rest;
}

std::string reasoning_about(const Situation& situation) {
  std::string text = "The user asks: \"" + shorten(situation.ask, 80) + "\". ";
  text +=
      situation.tools.empty() ? "There are no tools on offer. " : "On offer are " + join_names(situation.tools) + ". ";
  return text + "I take the first of my rules that fits.";
}

}  // namespace

Answer answer_for(const Situation& situation) {
  const std::string_view rest = without_order_to_think(situation.ask);
  if (rest == situation.ask) return first_fit(situation);
  Situation inner = situation;
  inner.ask = rest;
  Answer answer = first_fit(inner);
  if (situation.calls.empty()) answer.pieces.insert(answer.pieces.begin(), Think{reasoning_about(inner)});
  return answer;
}

}  // namespace braidlog::provider
