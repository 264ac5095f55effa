#include "base/utf8.h"

#include <locale.h>
#include <wctype.h>

#include <cstdint>
#include <cstring>

namespace braidlog {

namespace {

// Length of the valid sequence at the front of `text`, or 0. `text` is not empty.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return continues(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (lead > 0xf4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return 4;
}

// Most of what comes is ASCII, and a body may be a hundred megabytes of it: eight characters at a time.
std::string_view skip_ascii(std::string_view text) {
  std::uint64_t eight = 0;
  while (text.size() >= sizeof eight) {
    std::memcpy(&eight, text.data(), sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
    text.remove_prefix(sizeof eight);
  }
  return text;
}

bool is_space_sequence(std::string_view s) {
  if (s.size() == 1) return s[0] == ' ' || (s[0] >= '\t' && s[0] <= '\r');
  if (s == "\xc2\xa0" || s == "\xc2\x85" || s == "\xe2\x80\xa8" || s == "\xe2\x80\xa9" || s == "\xe3\x80\x80")
    return true;
  return s.size() == 3 && s.starts_with("\xe2\x80") && static_cast<std::uint8_t>(s[2]) >= 0x80 &&
         static_cast<std::uint8_t>(s[2]) <= 0x8a;
}

// Of a sequence of more than one byte.
char32_t code_point(std::string_view sequence) {
  constexpr std::uint8_t kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t code = static_cast<std::uint8_t>(sequence[0]) & kLeadBits[sequence.size()];
  for (const char c : sequence.substr(1)) code = (code << 6) | (static_cast<std::uint8_t>(c) & 0x3f);
  return code;
}

void append_code_point(std::string& out, char32_t code) {
  const auto add = [&](char32_t bits) { out += static_cast<char>(static_cast<std::uint8_t>(bits)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      add(0xe0 | (code >> 12));
    } else {
      add(0xf0 | (code >> 18));
      add(0x80 | ((code >> 12) & 0x3f));
    }
    add(0x80 | ((code >> 6) & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

// The C library knows all of Unicode in this locale, which every glibc since 2.35 has in itself.
char32_t to_small(char32_t code) {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale == nullptr ? code : static_cast<char32_t>(towlower_l(static_cast<wint_t>(code), locale));
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    text = skip_ascii(text);
    if (text.empty()) return true;
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<std::uint8_t>(c) & 0xc0) != 0x80;
  return count;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string_view first_code_points(std::string_view text, std::size_t count_max) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<std::uint8_t>(text[i]) & 0xc0) == 0x80) continue;
    if (++count > count_max) return text.substr(0, i);
  }
  return text;
}

std::string fold_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = static_cast<std::uint8_t>(c) < 0x80 ? 1 : sequence_length(text);
    if (length < 2) {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      text.remove_prefix(1);
    } else {
      append_code_point(out, to_small(code_point(text.substr(0, length))));
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0 || !is_space_sequence(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace braidlog
