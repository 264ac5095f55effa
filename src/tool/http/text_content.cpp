#include "tool/http/text_content.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace braidlog::tool {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// 0x80 to 0x9F; the other bytes are the code point of the same number.
constexpr std::array<std::uint16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                     0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const unsigned point = byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : byte;
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | point >> 6);
      out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | point >> 12);
      out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
      out += static_cast<char>(0x80 | (point & 0x3F));
    }
  }
  return out;
}

// Without the first bytes of a character whose others are missing.
std::string_view without_cut_end(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t needs = byte >= 0xF8 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needs > back ? bytes.substr(0, bytes.size() - back) : bytes;
  }
  return bytes;
}

bool is_windows_1252(std::string_view charset) {
  static constexpr std::array<std::string_view, 7> kNames{"windows-1252", "cp1252", "x-cp1252", "iso-8859-1",
                                                          "iso8859-1",    "latin1", "l1"};
  return std::ranges::find(kNames, charset) != kNames.end();
}

}  // namespace

MediaType MediaType::parse(std::string_view content_type) {
  MediaType out;
  const auto semicolon = content_type.find(';');
  out.type = lower(trimmed(content_type.substr(0, semicolon)));
  if (out.type.find('/') == std::string::npos) out.type.clear();
  while (!content_type.empty()) {
    const auto end = content_type.find(';');
    const auto parameter = trimmed(content_type.substr(0, end));
    const auto equals = parameter.find('=');
    if (equals != std::string_view::npos && lower(trimmed(parameter.substr(0, equals))) == "charset") {
      auto value = trimmed(parameter.substr(equals + 1));
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      out.charset = lower(value);
    }
    content_type = end == std::string_view::npos ? std::string_view{} : content_type.substr(end + 1);
  }
  return out;
}

bool MediaType::is_json() const {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool MediaType::is_text() const {
  static constexpr std::array<std::string_view, 7> kReadable{
      "application/xml",  "application/javascript", "application/x-javascript",         "application/x-ndjson",
      "application/yaml", "application/x-yaml",     "application/x-www-form-urlencoded"};
  return type.starts_with("text/") || is_json() || type.ends_with("+xml") ||
         std::ranges::find(kReadable, type) != kReadable.end();
}

std::string to_utf8(std::string_view bytes, std::string_view charset) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) return to_valid_utf8(without_cut_end(bytes.substr(kByteOrderMark.size())));
  if (is_windows_1252(charset)) return from_windows_1252(bytes);
  const auto whole = without_cut_end(bytes);
  if (charset.empty() && !is_valid_utf8(whole)) return from_windows_1252(bytes);
  return to_valid_utf8(whole);
}

}  // namespace braidlog::tool
