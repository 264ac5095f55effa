#include "tool/web/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/utf8.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kCharsetWithin = 1'024;  // as the HTML standard has it
constexpr std::size_t kTitleWithin = 256 * 1024;
constexpr std::size_t kTitleBytesMax = 300;
constexpr std::size_t kEntityBytesMax = 10;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Where `what`, in lower case, begins in `text`, whatever its case.
std::size_t find_ignoring_case(std::string_view text, std::string_view what, std::size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), what.begin(), what.end(),
                                 [](char a, char b) { return lower(a) == b; });
  return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

void append_code_point(std::string& out, std::uint32_t point) {
  if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static constexpr std::array<unsigned, 4> kFirst{0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kFirst[static_cast<std::size_t>(more)] | point >> (6 * more));
  for (int left = more - 1; left >= 0; --left) out += static_cast<char>(0x80 | (point >> (6 * left) & 0x3F));
}

// The code point of what stands between '&' and ';'.
std::optional<std::uint32_t> entity(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 13> kNames{{{"amp", '&'},
                                                                                      {"lt", '<'},
                                                                                      {"gt", '>'},
                                                                                      {"quot", '"'},
                                                                                      {"apos", '\''},
                                                                                      {"nbsp", ' '},
                                                                                      {"ndash", 0x2013},
                                                                                      {"mdash", 0x2014},
                                                                                      {"hellip", 0x2026},
                                                                                      {"lsquo", 0x2018},
                                                                                      {"rsquo", 0x2019},
                                                                                      {"ldquo", 0x201C},
                                                                                      {"rdquo", 0x201D}}};
  if (!name.starts_with('#')) {
    const auto found = std::ranges::find(kNames, name, [](const auto& row) { return row.first; });
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
  }
  name.remove_prefix(1);
  const bool is_hex = name.starts_with('x') || name.starts_with('X');
  if (is_hex) name.remove_prefix(1);
  std::uint32_t point = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), point, is_hex ? 16 : 10);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return point == 0xA0 ? ' ' : point;
}

std::string decode_entities(std::string_view text) {
  std::string out;
  while (true) {
    const auto at = text.find('&');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at);
    const auto end = text.substr(0, kEntityBytesMax + 2).find(';');
    const auto point = end == std::string_view::npos ? std::nullopt : entity(text.substr(1, end - 1));
    if (point) append_code_point(out, *point);
    if (!point) out += '&';
    text.remove_prefix(point ? end + 1 : 1);
  }
}

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space) out += c;
    if (is_space && !out.empty() && out.back() != ' ') out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string html_charset(std::string_view bytes) {
  bytes = bytes.substr(0, kCharsetWithin);
  constexpr std::string_view kCharset = "charset=";
  for (auto meta = find_ignoring_case(bytes, "<meta"); meta != std::string_view::npos;
       meta = find_ignoring_case(bytes, "<meta", meta + 1)) {
    const auto tag = bytes.substr(meta, bytes.find('>', meta) - meta);
    const auto at = find_ignoring_case(tag, kCharset);
    if (at == std::string_view::npos) continue;
    auto value = tag.substr(at + kCharset.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \"'"), value.size()));
    std::string out(value.substr(0, value.find_first_of(" \"';/>")));
    std::ranges::transform(out, out.begin(), lower);
    return out;
  }
  return {};
}

std::string html_title(std::string_view html) {
  html = html.substr(0, kTitleWithin);
  const auto tag = find_ignoring_case(html, "<title");
  if (tag == std::string_view::npos) return {};
  const auto begin = html.find('>', tag);
  if (begin == std::string_view::npos) return {};
  const auto end = find_ignoring_case(html, "</title", begin);
  if (end == std::string_view::npos) return {};
  const std::string line = in_one_line(decode_entities(html.substr(begin + 1, end - begin - 1)));
  return std::string(utf8_prefix(line, kTitleBytesMax));
}

std::string html_to_line(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const auto open = html.find('<');
    text += html.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = html.find('>', open);
    // "a < b" is no tag.
    const bool is_tag = close != std::string_view::npos && open + 1 < html.size() &&
                        (html[open + 1] == '/' || html[open + 1] == '!' ||
                         (lower(html[open + 1]) >= 'a' && lower(html[open + 1]) <= 'z'));
    if (!is_tag) text += '<';
    html.remove_prefix(is_tag ? close + 1 : open + 1);
  }
  return in_one_line(decode_entities(text));
}

}  // namespace braidlog::tool
