// What a simulated model says: every turn tells the same endless text, "w0000001 w0000002 …", from its beginning. So a
// text in the log is right exactly when it is a prefix of the story, however often it was cut and continued.
//
// An answer with code is told once and kept: it begins with a word of its own, "akkkkkkl ", goes on with the story, and
// has a block of code somewhere in it, which begins with that word too. Whoever sees a piece of it knows what it is of.
// The word is a number in letters, so that no end of it looks like one of the story.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace braidlog::sim {

inline constexpr std::size_t kWordBytes = 9;

// The bytes of the story from a place on.
inline std::string story(std::size_t from, std::size_t count) {
  std::string out;
  out.reserve(count + 2 * kWordBytes);
  for (std::size_t word = from / kWordBytes + 1; out.size() < count + kWordBytes; ++word) {
    char text[kWordBytes] = {'w', '0', '0', '0', '0', '0', '0', '0', ' '};
    std::size_t digit = kWordBytes - 2;
    for (std::size_t rest = word; rest > 0; rest /= 10) text[digit--] = static_cast<char>('0' + rest % 10);
    out.append(text, kWordBytes);
  }
  return out.substr(from % kWordBytes, count);
}

// Whether the text, of which so much was looked at before, goes on as the story does.
inline bool is_story(std::string_view text, std::size_t from = 0) {
  return text.substr(from) == story(from, text.size() - from);
}

// The answers with code that were told so far.
class CodedAnswers {
 public:
  struct Answer {
    std::string text, code;
  };
  // `before`, `inside` and `after`: how many bytes of the story stand where.
  const Answer& tell(std::size_t before, std::size_t inside, std::size_t after) {
    const std::string word = word_of(++last_);
    Answer& answer = answers_[last_];
    answer.code = word + story(before, inside);
    answer.text = word + story(0, before) + "\n```python\n" + answer.code + "\n```\n" + story(before + inside, after);
    while (answer.code.back() == ' ') answer.code.pop_back();
    return answer;
  }
  // The one whose word stands at the front; null: none.
  const Answer* find(std::string_view text) const {
    const auto number = number_of(text);
    const auto at = number ? answers_.find(*number) : answers_.end();
    return at == answers_.end() ? nullptr : &at->second;
  }
  static std::optional<std::uint64_t> number_of(std::string_view text) {
    if (text.size() < kWordBytes - 1 || text.front() != 'a') return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : text.substr(1, kWordBytes - 2)) {
      if (c < kZero || c > kZero + 9) return std::nullopt;
      number = number * 10 + static_cast<std::uint64_t>(c - kZero);
    }
    return number;
  }
  // A prefix of the story, or of such an answer.
  bool is_told(std::string_view text, std::size_t from = 0) const {
    const Answer* answer = find(text);
    return answer ? std::string_view(answer->text).starts_with(text) : is_story(text, from);
  }

 private:
  static constexpr char kZero = 'k';
  static std::string word_of(std::uint64_t number) {
    std::string word(kWordBytes, kZero);
    word.front() = 'a';
    word.back() = ' ';
    for (std::size_t at = kWordBytes - 2; number > 0; number /= 10) word[at--] = static_cast<char>(kZero + number % 10);
    return word;
  }

  std::map<std::uint64_t, Answer> answers_;
  std::uint64_t last_ = 0;
};

}  // namespace braidlog::sim
