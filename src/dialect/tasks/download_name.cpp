#include "dialect/tasks/download_name.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "wire/http.h"

namespace braidlog::tasks {

namespace {

constexpr std::size_t kNameBytesMax = 120;
constexpr std::string_view kMarkdown = "text/markdown; charset=utf-8";
constexpr std::string_view kPlain = "text/plain; charset=utf-8";
constexpr std::array<std::string_view, 2> kMarkdownEndings{"md", "markdown"};
constexpr std::array<std::string_view, 4> kPlainEndings{"csv", "json", "log", "txt"};

// What some file system takes for something else than a character of a name.
bool is_plain(char c) {
  constexpr std::string_view kSpecial = R"(/\:*?"<>|)";
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && kSpecial.find(c) == std::string_view::npos;
}

std::string_view without_ends(std::string_view text) {
  const auto is_end = [](char c) { return c == ' ' || c == '.'; };
  while (!text.empty() && is_end(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_end(text.back())) text.remove_suffix(1);
  return text;
}

// "md" of "notes.md"; empty for "v1.2" and for a sentence.
std::string_view ending_of(std::string_view name) {
  constexpr std::size_t kEndingMax = 10;
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const auto ending = name.substr(dot + 1);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (ending.size() > kEndingMax || std::ranges::none_of(ending, is_letter)) return {};
  return std::ranges::all_of(ending, [&](char c) { return is_letter(c) || is_digit(c); }) ? ending : std::string_view();
}

bool is_one_of(std::string_view ending, const auto& endings) {
  return std::ranges::any_of(endings, [&](std::string_view known) { return equals_ignoring_case(known, ending); });
}

}  // namespace

DownloadName download_name(std::string_view name) {
  std::string safe(name);
  std::ranges::replace_if(
      safe, [](char c) { return !is_plain(c); }, '_');
  const std::string_view whole = without_ends(safe);
  const std::string_view ending = ending_of(whole);
  std::string file(without_ends(utf8_prefix(whole, kNameBytesMax)));
  if (file.empty()) return {.file = "artifact.md", .media_type = kMarkdown};
  const bool was_cut = file.size() < whole.size();
  const bool is_markdown = is_one_of(ending, kMarkdownEndings), is_text = is_one_of(ending, kPlainEndings);
  if (is_markdown || is_text) {
    if (was_cut) file.append(".").append(ending);
  } else {
    file.append(ending.empty() ? ".md" : ".txt");
  }
  return {.file = std::move(file), .media_type = is_markdown || ending.empty() ? kMarkdown : kPlain};
}

}  // namespace braidlog::tasks
