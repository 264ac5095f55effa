#include "tool/knowledge/passages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/utf8.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kPassageBytesMax = 1200;
constexpr std::size_t kHeadingBytesMax = 200;
constexpr std::size_t kLevels = 6;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

struct Heading {
  std::size_t level = 0;  // 0: the line is none
  std::string_view text;
};

Heading heading_of(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  if (level == 0 || level > kLevels) return {};
  const std::string_view rest = line.substr(level);
  if (!rest.empty() && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\r') return {};
  std::string_view text = trim(rest);
  while (text.ends_with('#')) text.remove_suffix(1);  // "## Title ##"
  return {level, utf8_prefix(trim(text), kHeadingBytesMax)};
}

bool is_fence(std::string_view line) {
  const auto text = trim(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

// "guide/setup.md" without folder and extension.
std::string_view stem_of(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

class Splitter {
 public:
  explicit Splitter(std::string_view name) : name_(name), is_markdown_(name.ends_with(".md")) {}

  std::vector<Passage> split(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      take_line(text.substr(begin, end - begin));
      begin = end;
    }
    finish_passage();
    return std::move(passages_);
  }

 private:
  void take_line(std::string_view line) {
    if (is_markdown_ && is_fence(line)) in_code_ = !in_code_;
    const Heading heading = is_markdown_ && !in_code_ ? heading_of(line) : Heading{};
    if (heading.level > 0) {
      finish_passage();
      for (std::size_t i = heading.level - 1; i < kLevels; ++i) headings_[i] = {};
      headings_[heading.level - 1] = heading.text;
      return;
    }
    // Between two paragraphs when there is a good place, at a line when there is none, and in a line that has no end.
    const bool is_long = text_.size() + line.size() > kPassageBytesMax;
    if (is_long && (trim(line).empty() || text_.size() > kPassageBytesMax / 2)) finish_passage();
    while (line.size() > kPassageBytesMax) {
      const std::string_view piece = piece_of(line);
      text_ += piece;
      finish_passage();
      line.remove_prefix(piece.size());
    }
    text_ += line;
  }

  // The beginning of a line that is too long: to a space, where there is one.
  static std::string_view piece_of(std::string_view line) {
    const std::string_view piece = utf8_prefix(line, kPassageBytesMax);
    const std::size_t space = piece.rfind(' ');
    return space == std::string_view::npos || space == 0 ? piece : piece.substr(0, space);
  }

  void finish_passage() {
    const std::string_view text = trim(text_);
    if (!is_blank(text)) passages_.push_back({title(), std::string(name_), std::string(text)});
    text_.clear();
  }

  std::string title() const {
    std::string title;
    for (const std::string_view heading : headings_) {
      if (heading.empty()) continue;
      if (!title.empty()) title += " / ";
      title += heading;
    }
    return title.empty() ? std::string(stem_of(name_)) : title;
  }

  std::string_view name_;
  const bool is_markdown_;
  bool in_code_ = false;
  std::array<std::string_view, kLevels> headings_{};  // of the text under way
  std::string text_;
  std::vector<Passage> passages_;
};

}  // namespace

std::vector<Passage> split_into_passages(std::string_view name, std::string_view text) {
  return Splitter(name).split(text);
}

}  // namespace braidlog::tool
