// Ids of objects. One 128-bit, time-ordered value (UUIDv7 layout) per object; each contract spells it its own
// way (uuid text, 26-character ULID, prefixed ULID) and every route accepts every spelling. Ids of different
// kinds of object are different types and cannot be mixed up.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace braidlog {

struct Id128 {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Id128&) const = default;
  bool is_nil() const { return *this == Id128{}; }
};

std::string to_uuid(const Id128& id);  // 8-4-4-4-12, lower case
std::string to_ulid(const Id128& id);  // 26 characters, Crockford base 32, upper case
void append_ulid(std::string& out, const Id128& id);
// uuid or ULID in either case, with or without one of our prefixes ("sess_", "run_", "appr_"). Anything else
// is none.
std::optional<Id128> parse_id(std::string_view text);

template <class Tag>
struct Id {
  Id128 value;
  auto operator<=>(const Id&) const = default;
  bool is_nil() const { return value.is_nil(); }

  static std::optional<Id> parse(std::string_view text) {
    auto id = parse_id(text);
    return id ? std::optional<Id>(Id{*id}) : std::nullopt;
  }
};

struct SessionTag {
  static constexpr std::string_view kPrefix = "sess_";
};
struct RunTag {
  static constexpr std::string_view kPrefix = "run_";
};
struct ApprovalTag {
  static constexpr std::string_view kPrefix = "appr_";
};
struct ToolCallTag {
  static constexpr std::string_view kPrefix = "call_";
};
struct MessageTag {
  static constexpr std::string_view kPrefix = "msg_";
};
struct TaskTag {
  static constexpr std::string_view kPrefix = "task_";
};
struct ArtifactTag {
  static constexpr std::string_view kPrefix = "art_";
};
struct DataItemTag {
  static constexpr std::string_view kPrefix = "data_";
};
struct RequestTag {
  static constexpr std::string_view kPrefix = "req_";
};

using SessionId = Id<SessionTag>;
using RunId = Id<RunTag>;
using ApprovalId = Id<ApprovalTag>;
using ToolCallId = Id<ToolCallTag>;
using MessageId = Id<MessageTag>;
using TaskId = Id<TaskTag>;
using ArtifactId = Id<ArtifactTag>;
using DataItemId = Id<DataItemTag>;
using RequestId = Id<RequestTag>;

// "run_01HAAA…"
template <class Tag>
std::string to_prefixed(const Id<Tag>& id) {
  std::string out(Tag::kPrefix);
  append_ulid(out, id.value);
  return out;
}
template <class Tag>
std::string to_uuid(const Id<Tag>& id) {
  return to_uuid(id.value);
}
template <class Tag>
std::string to_ulid(const Id<Tag>& id) {
  return to_ulid(id.value);
}

// Makes ids. Ids of one source are strictly increasing, also when the wall clock steps back: the time part
// then stands still and a counter goes on. One source per thread; not thread-safe.
class IdSource {
 public:
  IdSource(const Clock& clock, std::uint64_t seed) : clock_(clock), random_(seed) {}
  // Seeded from the system's randomness: what a server uses.
  explicit IdSource(const Clock& clock);

  Id128 next();
  // From now on ids are greater than this one, whatever the clock says.
  void follow(const Id128& id);
  template <class IdType>
  IdType make() {
    return IdType{next()};
  }

 private:
  const Clock& clock_;
  std::mt19937_64 random_;
  std::int64_t last_ms_ = 0;
  std::uint32_t counter_ = 0;  // 12 bits of rand_a
};

}  // namespace braidlog

template <>
struct std::hash<braidlog::Id128> {
  // The low bytes are random in every id that we make.
  std::size_t operator()(const braidlog::Id128& id) const noexcept {
    std::size_t value = 0;
    for (int i = 8; i < 16; ++i) value = (value << 8) | id.bytes[static_cast<std::size_t>(i)];
    return value;
  }
};
template <class Tag>
struct std::hash<braidlog::Id<Tag>> {
  std::size_t operator()(const braidlog::Id<Tag>& id) const noexcept { return std::hash<braidlog::Id128>{}(id.value); }
};
