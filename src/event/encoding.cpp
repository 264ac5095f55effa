#include "event/encoding.h"

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/varint.h"
#include "event/event_fields.h"
#include "event/event_type.h"

namespace braidlog {

namespace {

// How long the fields of an event can be at most, so that they are written without a look at the room there is.
class LengthBound {
 public:
  template <class T>
  void operator()(std::string_view, const T& value) {
    add(value);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      bytes_ += 1;
    } else if constexpr (std::is_integral_v<T>) {
      bytes_ += kVarintBytesMax;
    } else if constexpr (std::is_same_v<T, std::string>) {
      bytes_ += kVarintBytesMax + value.size();
    } else if constexpr (kIsId<T>) {
      bytes_ += value.value.bytes.size();
    } else if constexpr (kIsOptional<T>) {
      bytes_ += 1;
      if (value) add(*value);
    } else if constexpr (kIsVector<T>) {
      bytes_ += kVarintBytesMax;
      for (const auto& item : value) add(item);
    } else {
      T::fields(value, *this);
    }
  }
  std::size_t bytes_ = 0;
};

// Writes into memory that is long enough.
class BinaryWriter {
 public:
  explicit BinaryWriter(char* at) : at_(at) {}
  char* end() const { return at_; }

  template <class T>
  void operator()(std::string_view, const T& value) {
    put(value);
  }
  void byte(char c) { *at_++ = c; }
  void varint(std::uint64_t value) { at_ = write_varint(at_, value); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      byte(static_cast<char>(value));
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    } else if constexpr (std::is_integral_v<T>) {
      varint(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      varint(value.size());
      bytes(value.data(), value.size());
    } else if constexpr (kIsId<T>) {
      bytes(reinterpret_cast<const char*>(value.value.bytes.data()), value.value.bytes.size());
    } else if constexpr (kIsOptional<T>) {
      byte(static_cast<char>(value.has_value()));
      if (value) put(*value);
    } else if constexpr (kIsVector<T>) {
      varint(value.size());
      for (const auto& item : value) put(item);
    } else {
      T::fields(value, *this);
    }
  }
  void bytes(const char* data, std::size_t size) {
    std::memcpy(at_, data, size);
    at_ += size;
  }
  char* at_;
};

class BinaryReader {
 public:
  explicit BinaryReader(std::string_view in) : at_(in.data()), end_(in.data() + in.size()) {}
  bool ok() const { return ok_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

  // A top-level field that is not there at all keeps its default; one that is cut in the middle is an error.
  template <class T>
  void operator()(std::string_view, T& value) {
    if (!ok_ || (depth_ == 0 && at_ == end_)) return;
    get(value);
  }

  std::string_view rest() { return bytes(remaining()); }
  std::uint64_t varint() {
    if (at_ != end_ && static_cast<std::uint8_t>(*at_) < 0x80) return static_cast<std::uint8_t>(*at_++);
    return long_varint();
  }
  char byte() {
    if (at_ == end_) {
      ok_ = false;
      return 0;
    }
    return *at_++;
  }
  std::string_view bytes(std::uint64_t count) {
    if (count > remaining()) {
      ok_ = false;
      return {};
    }
    const char* const from = std::exchange(at_, at_ + count);
    return {from, at_};
  }

 private:
  std::uint64_t long_varint() {
    std::uint64_t value = 0;
    const char* at = at_;
    for (int shift = 0; shift < 64 && at != end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at++);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      at_ = at;
      return value;
    }
    ok_ = false;
    return 0;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = byte() != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(static_cast<std::uint8_t>(byte()));
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      const std::uint64_t raw = varint();
      value = static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(varint());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.assign(bytes(varint()));
    } else if constexpr (kIsId<T>) {
      const auto raw = bytes(16);
      if (raw.size() == 16) std::copy(raw.begin(), raw.end(), value.value.bytes.begin());
    } else if constexpr (kIsOptional<T>) {
      if (byte() != 0) get(value.emplace());
    } else if constexpr (kIsVector<T>) {
      for (std::uint64_t count = varint(); ok_ && count > 0; --count) get(value.emplace_back());
    } else {
      ++depth_;
      T::fields(value, *this);
      --depth_;
    }
  }
  const char* at_;
  const char* end_;
  bool ok_ = true;
  int depth_ = 0;
};

constexpr char kFurtherWord = 0;  // instead of a type
constexpr char kBadRecord[] = "The log holds a record that cannot be read";

// What stands before the fields: the length, the type and two times.
constexpr std::size_t kHeadBytesMax = kVarintBytesMax + 1 + kVarintBytesMax + kVarintBytesMax;

// The record of `event`, whose body is `body`, put together at `memory` and appended.
template <class Body>
void append_from(std::span<char> memory, std::string& out, EventType type, const RunEvent& event, const Body& body) {
  char* const content = memory.data() + 1;  // most records are short: one byte is kept for their length
  BinaryWriter writer(content);
  writer.byte(static_cast<char>(type));
  writer.varint(static_cast<std::uint64_t>(event.at.ms));
  writer.varint(event.elapsed_ms);
  Body::fields(body, writer);
  const auto length = static_cast<std::size_t>(writer.end() - content);
  BRAIDLOG_CHECK(length < memory.size());  // LengthBound and BinaryWriter go the same way through the fields
  if (length < 0x80) {
    memory[0] = static_cast<char>(length);
    out.append(memory.data(), length + 1);
    return;
  }
  put_varint(out, length);
  out.append(content, length);
}

RecordContext context_of(const RunEvent& event) {
  const auto* text = std::get_if<TextDelta>(&event.body);
  if (!text) return {};
  return {.is_text = true, .turn = text->turn, .part = text->part, .elapsed_ms = event.elapsed_ms, .at = event.at};
}

// Whatever the bytes say: a time that is no time does not stop the reader.
WallTime after(WallTime at, std::uint64_t ms) {
  return {static_cast<std::int64_t>(static_cast<std::uint64_t>(at.ms) + ms)};
}

// How much later than the record before a further word is; none when the event is something else.
std::optional<std::uint32_t> later_by(const RunEvent& event, const RecordContext& context) {
  const auto* delta = std::get_if<TextDelta>(&event.body);
  if (!delta || !context.is_text) return std::nullopt;
  const auto& [turn, part, text] = *delta;  // all there is: a field more would have to be looked at here
  if (turn != context.turn || part != context.part) return std::nullopt;
  if (event.elapsed_ms < context.elapsed_ms) return std::nullopt;
  const std::uint32_t later = event.elapsed_ms - context.elapsed_ms;
  return event.at == after(context.at, later) ? std::optional(later) : std::nullopt;
}

void append_further_word(std::string& out, std::string_view text, std::uint32_t later) {
  std::array<char, kVarintBytesMax + 1 + kVarintBytesMax> head;
  char* at = write_varint(head.data(), 1 + varint_bytes(later) + text.size());
  *at++ = kFurtherWord;
  at = write_varint(at, later);
  out.append(head.data(), at).append(text);
}

// What is behind the type of any other record.
bool take_whole(BinaryReader& reader, std::uint8_t type, RecordContext& context, RunEvent& event) {
  event.at.ms = static_cast<std::int64_t>(reader.varint());
  event.elapsed_ms = static_cast<std::uint32_t>(reader.varint());
  const bool known = reader.ok() && fill_alternative(type - 1u, event.body, [&](auto& body) {
                       std::decay_t<decltype(body)>::fields(body, reader);
                     });
  context = context_of(event);
  return known && reader.ok();
}

// What is behind the mark of a further word.
bool take_further_word(BinaryReader& reader, RecordContext& context, RunEvent& event) {
  const std::uint64_t later = reader.varint();
  if (!reader.ok() || !context.is_text || later > std::numeric_limits<std::uint32_t>::max()) return false;
  context.at = after(context.at, later);
  context.elapsed_ms += static_cast<std::uint32_t>(later);
  event.at = context.at;
  event.elapsed_ms = context.elapsed_ms;
  auto* const there = std::get_if<TextDelta>(&event.body);
  TextDelta& word = there ? *there : event.body.emplace<TextDelta>();
  word.turn = context.turn;
  word.part = context.part;
  word.text.assign(reader.rest());
  return true;
}

}  // namespace

void append_record(std::string& out, const RunEvent& event, RecordContext& context) {
  if (const auto later = later_by(event, context)) {
    append_further_word(out, std::get<TextDelta>(event.body).text, *later);
    context.at = event.at;
    context.elapsed_ms = event.elapsed_ms;
  } else {
    append_record(out, event);
    context = context_of(event);
  }
}

void append_record(std::string& out, const RunEvent& event) {
  std::visit(
      [&]<class Body>(const Body& body) {
        LengthBound bound;
        Body::fields(body, bound);
        const std::size_t bytes_max = kHeadBytesMax + bound.bytes();
        std::array<char, 256> few;
        if (bytes_max <= few.size()) return append_from<Body>(few, out, type_of(event.body), event, body);
        const auto many = std::make_unique_for_overwrite<char[]>(bytes_max);
        append_from<Body>({many.get(), bytes_max}, out, type_of(event.body), event, body);
      },
      event.body);
}

Result<std::size_t> record_length(std::string_view bytes) {
  BinaryReader reader(bytes);
  const std::uint64_t length = reader.varint();
  reader.bytes(length);
  if (!reader.ok()) return fail(ErrorCode::kStorage, kBadRecord);
  return bytes.size() - reader.remaining();
}

bool is_terminal_record(std::string_view bytes) {
  BinaryReader reader(bytes);
  reader.varint();
  const auto type = static_cast<EventType>(static_cast<std::uint8_t>(reader.byte()));
  return type == EventType::kRunCompleted || type == EventType::kRunFailed || type == EventType::kRunInterrupted;
}

Result<RunEvent> take_record(std::string_view& bytes, Sequence sequence, RecordContext& context) {
  Result<RunEvent> event;
  if (!take_record(bytes, sequence, context, *event)) return fail(ErrorCode::kStorage, kBadRecord);
  return event;
}

bool take_record(std::string_view& bytes, Sequence sequence, RecordContext& context, RunEvent& event) {
  BinaryReader outer(bytes);
  const std::uint64_t length = outer.varint();
  const std::string_view content = outer.ok() ? outer.bytes(length) : std::string_view();
  if (!outer.ok()) return false;
  BinaryReader reader(content);
  const char type = reader.byte();
  event.sequence = sequence;
  const bool known = type == kFurtherWord ? take_further_word(reader, context, event)
                                          : take_whole(reader, static_cast<std::uint8_t>(type), context, event);
  if (!known) return false;
  bytes.remove_prefix(static_cast<std::size_t>(content.data() + content.size() - bytes.data()));
  return true;
}

}  // namespace braidlog
