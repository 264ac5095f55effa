#include "engine/code_block.h"

#include <algorithm>

namespace braidlog {

namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The line at the front of `rest`, without its end; takes it off.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool opens_python(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kFence)) return false;
  std::string word(trim(line.substr(kFence.size())));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word == "python" || word == "py" || word == "python3";
}

}  // namespace

std::optional<CodeBlock> find_code(std::string_view answer) {
  std::string_view rest = answer;
  while (!rest.empty()) {
    const std::string_view before = answer.substr(0, answer.size() - rest.size());
    if (!opens_python(take_line(rest))) continue;
    CodeBlock block;
    const std::size_t begin = answer.size() - rest.size();
    std::size_t end = answer.size();
    while (!rest.empty() && !block.is_closed) {
      const std::size_t line_begin = answer.size() - rest.size();
      block.is_closed = trim(take_line(rest)) == kFence;
      if (block.is_closed) end = line_begin;
    }
    block.code = answer.substr(begin, end - begin);
    while (!block.code.empty() && kBlank.find(block.code.back()) != std::string_view::npos) block.code.pop_back();
    if (trim(block.code).empty()) return std::nullopt;
    const std::string_view head = trim(before), tail = trim(rest);
    block.around = head;
    if (!head.empty() && !tail.empty()) block.around += "\n\n";
    block.around += tail;
    return block;
  }
  return std::nullopt;
}

}  // namespace braidlog
