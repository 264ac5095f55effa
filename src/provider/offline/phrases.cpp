#include "provider/offline/phrases.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace braidlog::provider {

namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word_byte(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::size_t kQuoteBytesMax = 600;
constexpr std::string_view kQuotes = "\"'`";
constexpr std::string_view kTrailing = ".,;:!?)]}\"'`";
constexpr std::string_view kLeading = "([{\"'`";

// Finds the ends of quoted pieces: a closing quote is on the same line and no word follows it. A quote that has no
// end tells that later ones of its kind on that line have none either; remembering it keeps a message made of quotes
// from costing the square of its length.
class QuoteFinder {
 public:
  explicit QuoteFinder(std::string_view text) : text_(text) {}

  // The closing quote for the one at `begin`, or npos.
  std::size_t closing(std::size_t begin) {
    std::size_t& hopeless_before = hopeless_before_[kQuotes.find(text_[begin])];
    if (begin < hopeless_before) return std::string_view::npos;
    std::size_t i = begin + 1;
    for (; i < text_.size() && text_[i] != '\n'; ++i) {
      const bool closes = text_[i] == text_[begin] && i > begin + 1;
      if (closes && (i + 1 == text_.size() || !is_word_byte(text_[i + 1]))) return i;
    }
    hopeless_before = i;
    return std::string_view::npos;
  }

 private:
  std::string_view text_;
  std::array<std::size_t, kQuotes.size()> hopeless_before_{};
};

Word make_word(std::string_view text, std::size_t begin, std::size_t end, bool quoted) {
  Word word;
  word.text = text;
  word.lower = to_lower(text);
  word.begin = begin;
  word.end = end;
  word.quoted = quoted;
  return word;
}

}  // namespace

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  QuoteFinder quotes(text);
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    if (kQuotes.find(text[i]) != std::string_view::npos) {
      const std::size_t close = quotes.closing(i);
      if (close != std::string_view::npos) {
        words.push_back(make_word(text.substr(i + 1, close - i - 1), i, close + 1, true));
        i = close + 1;
        continue;
      }
    }
    std::size_t end = i;
    while (end < text.size() && !is_space(text[end])) ++end;
    std::string_view bare = text.substr(i, end - i);
    while (!bare.empty() && kTrailing.find(bare.back()) != std::string_view::npos) bare.remove_suffix(1);
    while (!bare.empty() && kLeading.find(bare.front()) != std::string_view::npos) bare.remove_prefix(1);
    if (!bare.empty()) words.push_back(make_word(bare, i, end, false));
    i = end;
  }
  return words;
}

bool looks_like_file(const Word& word) {
  const std::string_view text = word.text;
  if (text.find("://") != std::string_view::npos) return false;
  if (text.find('/') != std::string_view::npos) return text.size() > 1;
  const std::size_t dot = text.rfind('.');
  return dot != std::string_view::npos && dot + 1 < text.size() && is_letter(text[dot + 1]);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string capitalized(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] & ~0x20);
  return out;
}

std::size_t find_phrase(std::string_view lower, std::string_view phrase) {
  for (std::size_t at = lower.find(phrase); at != std::string_view::npos; at = lower.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    const bool begins = at == 0 || !is_word_byte(lower[at - 1]);
    const bool ends = end == lower.size() || !is_word_byte(lower[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

bool has_phrase(std::string_view lower, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return find_phrase(lower, phrase) != std::string::npos; });
}

std::string shorten(std::string_view text, std::size_t bytes_max) {
  std::string line;
  for (const char c : trim(text)) {
    const bool space = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : c;
    if (line.size() > bytes_max + 4) break;  // four: a character that was begun can be finished
  }
  if (line.size() <= bytes_max) return line;
  return std::string(utf8_prefix(line, bytes_max)) + "\xe2\x80\xa6";
}

std::string first_words(std::string_view text, std::size_t words_max, std::size_t bytes_max) {
  std::string line = shorten(text, bytes_max);  // one space between two words
  std::size_t end = 0;
  for (std::size_t i = 0; i < words_max && end != std::string::npos; ++i) end = line.find(' ', end + 1);
  return end == std::string::npos ? line : line.substr(0, end) + "\xe2\x80\xa6";
}

std::string quote(std::string_view text) {
  const bool whole = text.size() <= kQuoteBytesMax;
  std::string out = "> ";
  std::size_t bytes = 0;
  for (const char c : trim(text)) {
    if (bytes++ > kQuoteBytesMax && c == ' ') break;  // between two words
    if (bytes > 2 * kQuoteBytesMax && (static_cast<unsigned char>(c) & 0xc0) != 0x80) break;
    out += c;
    if (c == '\n') out += "> ";
  }
  return whole ? out : out + " \xe2\x80\xa6";
}

std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? text : trim(text.substr(end + 1));
}

std::string join_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace braidlog::provider
