#include "tool/mcp/header_value.h"

#include <algorithm>
#include <cstdint>

namespace braidlog::tool::mcp {

namespace {

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

bool is_header_value(std::string_view text) {
  if (!text.empty() && (is_space(text.front()) || is_space(text.back()))) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 0x20 && c <= 0x7e) || c == '\t'; });
}

bool is_header_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

std::string encode_base64(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto piece = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < piece.size() ? static_cast<unsigned char>(piece[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) out += i <= piece.size() ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string header_value(std::string_view text) {
  const bool looks_encoded = text.starts_with(kPrefix) && text.ends_with(kSuffix);
  // An empty value is encoded too: on the way it looks like no header at all.
  if (!text.empty() && is_header_value(text) && !looks_encoded) return std::string(text);
  return std::string(kPrefix) + encode_base64(text) + std::string(kSuffix);
}

}  // namespace braidlog::tool::mcp
