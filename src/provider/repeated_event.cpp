#include "provider/repeated_event.h"

#include <array>

#include "base/utf8.h"
#include "wire/sse.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kAroundBytesMax = 1024;  // it is kept for every live run
constexpr std::size_t kTextBytesMax = 1024;    // of an event that is taken without reading it
static_assert(kAroundBytesMax + kTextBytesMax + 16 <= SseReader::kKnownBytesMax);

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
  opening_bytes_ = 0;
  const auto end = json.find_first_of("\"\\", text_at);
  if (end == std::string_view::npos || json[end] != '"') return;
  if (json.find('\n') != std::string_view::npos) return;  // it came in several lines
  if (text_at + (json.size() - end) > kAroundBytesMax) return;
  opening_bytes_ = kOpening.size() + text_at;
  around_.reserve(opening_bytes_ + (json.size() - end) + kClosing.size());
  around_.append(kOpening).append(json.substr(0, text_at)).append(json.substr(end)).append(kClosing);
}

std::optional<std::string_view> RepeatedEvent::take_from(std::string_view& bytes) const {
  if (around_.empty() || !bytes.starts_with(opening())) return std::nullopt;
  const std::string_view rest = bytes.substr(opening_bytes_);
  std::size_t size = 0;
  unsigned kinds = 0;
  for (; size < rest.size() && size < kTextBytesMax; ++size) {
    const auto kind = kKinds[static_cast<unsigned char>(rest[size])];
    if ((kind & kSpecial) != 0) break;
    kinds |= kind;
  }
  // What follows begins with the quote: a text that ends otherwise, or not at all, is not taken.
  const std::string_view text = rest.substr(0, size);
  if (!rest.substr(size).starts_with(closing())) return std::nullopt;
  if ((kinds & kHigh) != 0 && !is_valid_utf8(text)) return std::nullopt;
  bytes = rest.substr(size + closing().size());
  return text;
}

bool RepeatedEvent::is_plain(std::string_view text) {
  unsigned kinds = 0;
  for (const char c : text) kinds |= kKinds[static_cast<unsigned char>(c)];
  if ((kinds & kSpecial) != 0) return false;
  return (kinds & kHigh) == 0 || is_valid_utf8(text);
}

}  // namespace braidlog::provider
