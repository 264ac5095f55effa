#include "terminal/safe_text.h"

#include <cstdint>
#include <cstdio>

#include "base/utf8.h"

namespace braidlog::terminal {

namespace {

// Takes one character off the front of valid UTF-8.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t out = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) out = (out << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  text.remove_prefix(length);
  return out;
}

bool is_direction_mark(char32_t c) {
  return c == 0x200E || c == 0x200F || c == 0x061C;
}

bool is_hostile(char32_t c) {
  if (c < 0x20) return c != '\n' && c != '\t';
  if (c < 0x7F) return false;
  return c <= 0x9F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

template <class... Values>
void append_format(std::string& out, const char* format, Values... values) {
  char buffer[24];
  out.append(buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, format, values...)));
}

void append_spelled(std::string& out, char32_t c) {
  const auto value = static_cast<unsigned>(c);
  if (value < 0x100) return append_format(out, "\\x%02x", value);
  if (value < 0x10000) return append_format(out, "\\u%04x", value);
  append_format(out, "\\u{%x}", value);
}

void append_json_escape(std::string& out, char32_t c) {
  auto value = static_cast<unsigned>(c);
  if (value < 0x10000) return append_format(out, "\\u%04x", value);
  value -= 0x10000;
  append_format(out, "\\u%04x\\u%04x", 0xD800u + (value >> 10), 0xDC00u + (value & 0x3FFu));
}

// Calls `odd` for each character that is not plain, and copies the rest.
template <class Odd>
std::string filter(std::string_view text, Odd odd) {
  const std::string valid = is_valid_utf8(text) ? std::string() : to_valid_utf8(text);
  if (!valid.empty()) text = valid;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto before = text;
    const char32_t c = take_character(text);
    if (is_hostile(c) || is_direction_mark(c)) {
      odd(out, c, text);
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

}  // namespace

std::string safe_text(std::string_view text) {
  return filter(text, [](std::string& out, char32_t c, std::string_view rest) {
    if (c == '\r' && rest.starts_with('\n')) return;
    if (!is_direction_mark(c)) append_spelled(out, c);
  });
}

std::string safe_line(std::string_view text) {
  const std::string safe = safe_text(text);
  std::string out;
  bool has_gap = false;
  for (const char c : safe) {
    if (c == ' ' || c == '\n' || c == '\t') {
      has_gap = !out.empty();
      continue;
    }
    if (has_gap) out += ' ';
    has_gap = false;
    out += c;
  }
  return out;
}

std::string safe_json(std::string_view json) {
  return filter(json, [](std::string& out, char32_t c, std::string_view) { append_json_escape(out, c); });
}

std::string safe_json_line(std::string_view json) {
  std::string packed;
  bool is_in_string = false, is_escaped = false;
  for (const char c : json) {
    if (!is_in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    packed += c;
    if (c == '"' && !is_escaped) is_in_string = !is_in_string;
    is_escaped = is_in_string && c == '\\' && !is_escaped;
  }
  return safe_json(packed);
}

}  // namespace braidlog::terminal
