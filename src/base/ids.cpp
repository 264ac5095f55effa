#include "base/ids.h"

#include <algorithm>

#include "base/hex.h"

namespace braidlog {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

int crockford_value(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const auto at = kCrockford.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::optional<Id128> parse_uuid(std::string_view text) {
  Id128 id;
  std::size_t digit = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = id.bytes[digit / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
    ++digit;
  }
  return id;
}

// 26 characters of 5 bits are 130 bits: the first character holds only the top 3 bits of the value.
std::optional<Id128> parse_ulid(std::string_view text) {
  unsigned __int128 value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int digit = crockford_value(text[i]);
    if (digit < 0 || (i == 0 && digit > 7)) return std::nullopt;
    value = value << 5 | static_cast<unsigned>(digit);
  }
  Id128 id;
  for (int i = 15; i >= 0; --i) {
    id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
  return id;
}

}  // namespace

std::string to_uuid(const Id128& id) {
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kHex[id.bytes[i] >> 4];
    out += kHex[id.bytes[i] & 15];
  }
  return out;
}

void append_ulid(std::string& out, const Id128& id) {
  unsigned __int128 value = 0;
  for (const auto byte : id.bytes) value = value << 8 | byte;
  char text[26];
  for (int i = 25; i >= 0; --i) {
    text[i] = kCrockford[static_cast<std::size_t>(value & 31)];
    value >>= 5;
  }
  out.append(text, sizeof text);
}

std::string to_ulid(const Id128& id) {
  std::string out;
  append_ulid(out, id);
  return out;
}

std::optional<Id128> parse_id(std::string_view text) {
  for (const auto prefix : {SessionTag::kPrefix, RunTag::kPrefix, ApprovalTag::kPrefix}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  if (text.size() == 36) return parse_uuid(text);
  if (text.size() == 26) return parse_ulid(text);
  return std::nullopt;
}

IdSource::IdSource(const Clock& clock) : clock_(clock) {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  random_.seed(seed);
}

Id128 IdSource::next() {
  const std::int64_t now = clock_.wall().ms;
  if (now > last_ms_) {
    last_ms_ = now;
    counter_ = static_cast<std::uint32_t>(random_() & 0x3ff);  // room to count up within the millisecond
  } else if (++counter_ > 0xfff) {
    ++last_ms_;  // borrowed from the future; the clock catches up
    counter_ = 0;
  }
  Id128 id;
  for (int i = 0; i < 6; ++i) {
    id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(last_ms_ >> (40 - 8 * i));
  }
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | counter_ >> 8);
  id.bytes[7] = static_cast<std::uint8_t>(counter_);
  const std::uint64_t low = random_();
  for (std::size_t i = 0; i < 8; ++i) id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (8 * i));
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
  return id;
}

void IdSource::follow(const Id128& id) {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | id.bytes[i];
  if (ms < last_ms_) return;
  last_ms_ = ms;
  counter_ = 0xfff;  // the next id borrows the next millisecond
}

}  // namespace braidlog
