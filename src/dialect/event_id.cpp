#include "dialect/event_id.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace braidlog {

namespace {

constexpr std::string_view kPrefix = "evt_";
constexpr std::size_t kUlidLength = 26;
constexpr std::size_t kSequenceDigits = 10;
constexpr std::uint64_t kSequenceMax = 9'999'999'999;
static_assert(kSequenceDigits % 2 == 0);

// "00" "01" … "99"
constexpr auto kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// All of `digits` as a number without sign. `digits` has at most ten characters, so it fits.
std::optional<std::uint64_t> parse_digits(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::optional<std::uint32_t> parse_part(std::string_view digits) {
  const auto value = parse_digits(digits);
  const bool padded = digits.size() > 1 && digits.front() == '0';
  if (!value || padded || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

std::string event_id_prefix(RunId run_id) {
  std::string out(kPrefix);
  append_ulid(out, run_id.value);
  out += '_';
  return out;
}

void append_event_sequence(std::string& out, Sequence sequence) {
  const std::size_t at = out.size();
  out.append(kSequenceDigits, '0');
  write_event_sequence(out, at, sequence);
}

void write_event_sequence(std::string& text, std::size_t at, Sequence sequence) {
  BRAIDLOG_CHECK(sequence.value <= kSequenceMax && at + kSequenceDigits <= text.size());
  // Two digits at a time, and the leading zeros at once: this is done twice per token.
  char* const begin = text.data() + at;
  char* end = begin + kSequenceDigits;
  std::uint64_t rest = sequence.value;
  for (; rest > 0; rest /= 100) {
    end -= 2;
    std::memcpy(end, &kDigitPairs[(rest % 100) * 2], 2);
  }
  std::memset(begin, '0', static_cast<std::size_t>(end - begin));
}

void append_event_id(std::string& out, const EventId& id) {
  out += kPrefix;
  append_ulid(out, id.run_id.value);
  out += '_';
  append_event_sequence(out, id.sequence);
  if (!id.part) return;
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, id.part->index).ptr;
  out += '.';
  out += id.part->mark;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

std::optional<EventId> parse_event_id(std::string_view text) {
  if (text.size() > kEventIdBytesMax || !text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.size() < kUlidLength + 1 + kSequenceDigits || text[kUlidLength] != '_') return std::nullopt;
  // 26 characters can only be read as a ULID: neither a uuid nor one of our prefixes fits.
  const auto run_id = RunId::parse(text.substr(0, kUlidLength));
  text.remove_prefix(kUlidLength + 1);
  const auto sequence = parse_digits(text.substr(0, kSequenceDigits));
  text.remove_prefix(kSequenceDigits);
  if (!run_id || !sequence || *sequence == 0) return std::nullopt;
  EventId id{.run_id = *run_id, .sequence = {*sequence}, .part = std::nullopt};
  if (text.empty()) return id;
  if (text.size() < 3 || text[0] != '.' || text[1] < 'a' || text[1] > 'z') return std::nullopt;
  const auto index = parse_part(text.substr(2));
  if (!index) return std::nullopt;
  id.part = FramePart{text[1], *index};
  return id;
}

}  // namespace braidlog
