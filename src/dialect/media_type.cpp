#include "dialect/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/http.h"

namespace braidlog {

namespace {

constexpr std::string_view kBytes = "application/octet-stream";
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{{
    {"csv", "text/csv; charset=utf-8"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"gif", "image/gif"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"json", "application/json"},
    {"log", "text/plain; charset=utf-8"},
    {"markdown", "text/markdown; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"txt", "text/plain; charset=utf-8"},
    {"webp", "image/webp"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
}};

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// What RFC 8187 allows unescaped in an extended value, a little narrower.
bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
}

}  // namespace

std::string_view media_type_of(std::string_view path) {
  const std::string_view name = last_part(path);
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return kBytes;
  const auto ending = name.substr(dot + 1);
  const auto found =
      std::ranges::find_if(kTypes, [&](const auto& row) { return equals_ignoring_case(row.first, ending); });
  return found == kTypes.end() ? kBytes : found->second;
}

std::string attachment_disposition(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string plain, extended;
  for (const char c : last_part(path)) {
    plain += is_plain(c) || c == ' ' ? c : '_';
    if (is_plain(c)) {
      extended += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      extended += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  if (plain.empty()) plain = extended = "file";
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + extended;
}

}  // namespace braidlog
