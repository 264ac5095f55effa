#include "provider/repeated_event.h"

#include <algorithm>

#include "base/utf8.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kAroundBytesMax = 1024;  // it is kept for every live run

}  // namespace

void RepeatedEvent::remember(std::string_view json, std::size_t text_at) {
  around_.clear();
  const auto end = json.find_first_of("\"\\", text_at);
  if (end == std::string_view::npos || json[end] != '"') return;
  if (text_at + (json.size() - end) > kAroundBytesMax) return;
  before_bytes_ = text_at;
  around_.reserve(text_at + (json.size() - end));
  around_.append(json.substr(0, text_at)).append(json.substr(end));
}

bool RepeatedEvent::is_plain(std::string_view text) {
  bool is_ascii = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == '"' || byte == '\\') return false;
    is_ascii = is_ascii && byte < 0x80;
  }
  return is_ascii || is_valid_utf8(text);
}

}  // namespace braidlog::provider
