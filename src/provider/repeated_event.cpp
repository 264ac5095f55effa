#include "provider/repeated_event.h"

#include <array>

#include "base/utf8.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kAroundBytesMax = 1024;  // it is kept for every live run

// What a byte is in a JSON string.
constexpr unsigned char kSpecial = 1, kHigh = 2;
constexpr auto kKinds = [] {
  std::array<unsigned char, 256> kinds{};
  for (std::size_t c = 0; c < 0x20; ++c) kinds[c] = kSpecial;
  for (std::size_t c = 0x80; c < 0x100; ++c) kinds[c] = kHigh;
  kinds['"'] = kinds['\\'] = kSpecial;
  return kinds;
}();

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
  unsigned kinds = 0;
  for (const char c : text) kinds |= kKinds[static_cast<unsigned char>(c)];
  if ((kinds & kSpecial) != 0) return false;
  return (kinds & kHigh) == 0 || is_valid_utf8(text);
}

}  // namespace braidlog::provider
