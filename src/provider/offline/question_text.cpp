#include "provider/offline/question_text.h"

#include <array>
#include <utility>

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kExpressionBytesMax = 400;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Signs that people type, and words that they say, as the calculator writes them.
std::string in_signs(std::string_view text) {
  std::string out = to_lower(text);
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSigns{{
      {" multiplied by ", " * "},
      {" divided by ", " / "},
      {" times ", " * "},
      {" plus ", " + "},
      {" minus ", " - "},
      {" modulo ", " % "},
      {" x ", " * "},
      {"\xc3\x97", "*"},
      {"\xc3\xb7", "/"},
      {"\xe2\x88\x92", "-"},
  }};
  for (const auto& [word, sign] : kSigns) replace_all(out, word, sign);
  return out;
}

// Only numbers, signs and functions, and at least one thing to do.
bool is_expression(std::string_view text) {
  bool has_number = false, has_work = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c >= 'a' && c <= 'z') {
      std::size_t end = i;
      while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
      const auto name = text.substr(i, end - i);
      const bool constant = is_one_of(name, {"pi", "e"});
      if (!constant && !is_one_of(name, {"sqrt", "abs", "round", "floor", "ceil", "min", "max", "ln", "log", "exp",
                                         "sin", "cos", "tan"})) {
        return false;
      }
      has_number |= constant;
      has_work |= !constant;
      i = end;
      continue;
    }
    if (c >= '0' && c <= '9') {
      has_number = true;
    } else if (std::string_view("+-*/%^").find(c) != std::string_view::npos) {
      has_work |= i > 0;
    } else if (std::string_view("(). ,").find(c) == std::string_view::npos) {
      return false;
    }
    ++i;
  }
  return has_number && has_work;
}

}  // namespace

std::optional<std::string> expression_in(std::string_view ask) {
  const std::string lower = in_signs(ask.substr(0, 4 * kExpressionBytesMax));
  const auto cut = [](std::string_view text) {
    text = trim(text.substr(0, text.find_first_of("?!=\n")));
    while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == ',')) text.remove_suffix(1);
    while (!text.empty() && (text.front() == ':' || text.front() == ' ')) text.remove_prefix(1);
    return text;
  };
  for (const std::string_view order : {"", "what is", "what's", "how much is", "calculate", "compute", "evaluate"}) {
    const std::size_t at = order.empty() ? 0 : find_phrase(lower, order);
    if (at == std::string::npos) continue;
    const auto expression = cut(std::string_view(lower).substr(at + order.size()));
    if (expression.size() <= kExpressionBytesMax && is_expression(expression)) return std::string(expression);
  }
  return std::nullopt;
}

bool asks_for_time(std::string_view ask) {
  const std::string lower = to_lower(ask);
  for (const std::string_view phrase :
       {"what time", "what date", "what day", "current time", "current date", "today's date", "date today",
        "time is it", "is the time", "is the date", "what's the time", "what's the date"}) {
    if (find_phrase(lower, phrase) != std::string::npos) return true;
  }
  return false;
}

std::string offset_asked_for(std::string_view ask) {
  for (const auto& word : split_words(ask)) {
    std::string_view text = word.text;
    if (text.starts_with("UTC")) text.remove_prefix(3);
    if (text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':') return std::string(text);
  }
  return {};
}

bool asks_for_file_list(std::string_view ask) {
  const auto words = split_words(ask);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_one_of(words[i].lower, {"list", "what", "which", "show"})) continue;
    // Nothing but small words in between.
    std::size_t next = i + 1;
    while (next < words.size() && is_one_of(words[next].lower, {"the", "my", "all", "me", "of", "our", "your"})) ++next;
    if (next < words.size() && is_one_of(words[next].lower, {"files", "workspace"})) return true;
  }
  return false;
}

}  // namespace braidlog::provider
