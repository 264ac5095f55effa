#include "provider/offline/manner.h"

#include <array>
#include <charconv>
#include <vector>

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

// A stretch of words that speaks of the manner.
struct Stretch {
  std::size_t begin = 0, end = 0;  // words
  Manner manner;
};

bool phrase_at(const std::vector<Word>& words, std::size_t at, std::initializer_list<std::string_view> phrase) {
  if (at + phrase.size() > words.size()) return false;
  for (const std::string_view word : phrase) {
    if (words[at++].lower != word) return false;
  }
  return true;
}

std::vector<Stretch> find_stretches(const std::vector<Word>& words) {
  std::vector<Stretch> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Stretch stretch{i, i, {}};
    if (phrase_at(words, i, {"step", "by", "step"}) || phrase_at(words, i, {"one", "by", "one"})) {
      stretch.end = i + 3;
      stretch.manner.step_by_step = true;
    } else if (phrase_at(words, i, {"one", "step", "at", "a", "time"})) {
      stretch.end = i + 5;
      stretch.manner.step_by_step = true;
    } else if (i + 2 < words.size() && words[i].lower == "in" && is_one_of(words[i + 2].lower, {"steps", "step"}) &&
               small_number(words[i + 1].lower) > 0) {
      stretch.end = i + 3;
      stretch.manner = {.step_by_step = true, .steps = small_number(words[i + 1].lower)};
    } else if (phrase_at(words, i, {"with", "a", "mistake", "first"}) ||
               phrase_at(words, i, {"make", "a", "mistake", "first"})) {
      stretch.end = i + 4;
      stretch.manner.errs_first = true;
    } else if (is_one_of(words[i].lower, {"please", "kindly"}) || phrase_at(words, i, {"with", "python"}) ||
               phrase_at(words, i, {"in", "python"})) {
      stretch.end = i + (is_one_of(words[i].lower, {"with", "in"}) ? 2 : 1);
    }
    if (stretch.end == i) continue;
    found.push_back(stretch);
    i = stretch.end - 1;
  }
  return found;
}

}  // namespace

Manner manner_of(std::string_view ask) {
  Manner manner;
  for (const auto& stretch : find_stretches(split_words(ask))) {
    manner.step_by_step |= stretch.manner.step_by_step;
    manner.errs_first |= stretch.manner.errs_first;
    if (stretch.manner.steps > 0) manner.steps = stretch.manner.steps;
  }
  return manner;
}

std::string without_manner(std::string_view ask) {
  const auto words = split_words(ask);
  std::string rest;
  std::size_t at = 0;
  for (const auto& stretch : find_stretches(words)) {
    rest += ask.substr(at, words[stretch.begin].begin - at);
    at = words[stretch.end - 1].end;
    // What closes the sentence, or parts it from what follows, stays.
    const char last = ask[at - 1];
    if (last == '?' || last == '.' || last == ':') rest += last;
  }
  rest += ask.substr(at);
  std::string_view text = trim(rest);
  while (text.starts_with(',') || text.starts_with(':') || text.starts_with('.')) text = trim(text.substr(1));
  while (text.ends_with(',') || text.ends_with(" ,")) text = trim(text.substr(0, text.size() - 1));
  return std::string(text);
}

std::size_t small_number(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords{"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                           "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  for (std::size_t i = 1; i < kWords.size(); ++i) {
    if (word == kWords[i]) return i;
  }
  std::size_t value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
  return whole && value <= 1'000 ? value : 0;
}

}  // namespace braidlog::provider
