// Both forms of an event, for every event there is: the fields are found through fields(), so a new event or a new
// field is tested from its first day.
#include "event/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <set>
#include <type_traits>

#include "base/utf8.h"
#include "event/event_fields.h"
#include "event/event_type.h"

namespace braidlog {
namespace {

constexpr std::size_t kEventCount = std::variant_size_v<RunEventBody>;

// Gives every field a random value. Strings are valid UTF-8, as everything in the log is.
class RandomFields {
 public:
  template <class T>
  void operator()(std::string_view, T& value) {
    fill(value);
  }

 private:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = *rc::gen::arbitrary<bool>();
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(*rc::gen::arbitrary<std::uint8_t>());
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      // Small ones and the edges; the JSON form has 63 bits.
      value =
          *rc::gen::element<std::uint64_t>(0, 1, 127, 128, 16'383, 16'384, std::numeric_limits<std::int64_t>::max()) ^
          *rc::gen::inRange<std::uint64_t>(0, 128);
    } else if constexpr (std::is_integral_v<T>) {
      value = *rc::gen::oneOf(rc::gen::arbitrary<T>(),
                              rc::gen::element<T>(0, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = to_valid_utf8(*rc::gen::arbitrary<std::string>());
    } else if constexpr (kIsId<T>) {
      for (auto& byte : value.value.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
    } else if constexpr (kIsOptional<T>) {
      if (*rc::gen::arbitrary<bool>()) fill(value.emplace());
    } else if constexpr (kIsVector<T>) {
      value.resize(*rc::gen::inRange<std::size_t>(0, 4));
      for (auto& item : value) fill(item);
    } else {
      T::fields(value, *this);
    }
  }
};

template <std::size_t... I>
void emplace_body(RunEventBody& body, std::size_t index, std::index_sequence<I...>) {
  ((index == I ? void(body.emplace<I>()) : void()), ...);
}

// An event of the type with that index and all fields at their defaults.
RunEvent plain_event(std::size_t index) {
  RunEvent event;
  emplace_body(event.body, index, std::make_index_sequence<kEventCount>());
  return event;
}

RunEvent random_event(std::size_t index) {
  RunEvent event = plain_event(index);
  event.sequence.value = *rc::gen::inRange<std::uint64_t>(1, 10'000'000'000);
  event.at.ms = *rc::gen::inRange<std::int64_t>(0, 4'102'444'800'000);
  event.elapsed_ms = *rc::gen::arbitrary<std::uint32_t>();
  RandomFields fields;
  std::visit([&](auto& body) { std::decay_t<decltype(body)>::fields(body, fields); }, event.body);
  return event;
}

// A record that stands on its own.
Result<RunEvent> take_alone(std::string_view& bytes, Sequence sequence) {
  RecordContext context;
  return take_record(bytes, sequence, context);
}
std::string record_of(const RunEvent& event) {
  std::string out;
  append_record(out, event);
  return out;
}

// The record without its length.
std::string content_of(const RunEvent& event) {
  const std::string record = record_of(event);
  std::size_t prefix = 1;
  while (static_cast<std::uint8_t>(record[prefix - 1]) >= 0x80) ++prefix;
  return record.substr(prefix);
}

std::string with_length(std::string_view content) {
  std::string out;
  std::uint64_t length = content.size();
  for (; length >= 0x80; length >>= 7) out += static_cast<char>(length | 0x80);
  out += static_cast<char>(length);
  return out.append(content);
}

std::string_view name_at(std::size_t index) {
  return kEventTypes[index].name;
}

// A field with the name of one that every event has cannot be told from it in the JSON form.
bool is_ambiguous_in_json(std::size_t index) {
  bool found = false;
  auto look = [&](std::string_view name, const auto&) {
    found = found || name == "sequence" || name == "at" || name == "elapsed_ms" || name == "type";
  };
  const RunEvent event = plain_event(index);
  std::visit([&](const auto& body) { std::decay_t<decltype(body)>::fields(body, look); }, event.body);
  return found;
}

class EveryEvent : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryEvent, ReadsBackFromItsRecord) {
  EXPECT_TRUE(rc::check([] {
    const RunEvent event = random_event(GetParam());
    const std::string record = record_of(event);
    RC_ASSERT(record_length(record).value_or(0) == record.size());
    std::string_view rest = record;
    const auto read = take_alone(rest, event.sequence);
    RC_ASSERT(read.has_value());
    RC_ASSERT((*read == event));
    RC_ASSERT(rest.empty());
  }));
}

TEST_P(EveryEvent, ReadsBackFromJson) {
  EXPECT_TRUE(rc::check([] {
    const RunEvent event = random_event(GetParam());
    const auto value = parse_json(event_to_json(event));
    RC_ASSERT(value.has_value());
    const auto read = event_from_json(*value);
    RC_ASSERT(read.has_value());
    RC_ASSERT((*read == event));
  }));
}

TEST_P(EveryEvent, ACutRecordIsRefusedAndLeftAlone) {
  EXPECT_TRUE(rc::check([] {
    const std::string record = record_of(random_event(GetParam()));
    for (std::size_t length = 0; length < record.size(); ++length) {
      std::string_view cut = std::string_view(record).substr(0, length);
      RC_ASSERT(!take_alone(cut, {1}).has_value());
      RC_ASSERT(cut.size() == length);
      RC_ASSERT(!record_length(cut).has_value());
    }
  }));
}

// A record that an older version wrote ends between two fields. One that ends anywhere else is damage: it is refused,
// or it is read as the older record that it looks like, with defaults from there on. It never does harm.
TEST_P(EveryEvent, AShorterRecordIsReadWithDefaultsOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const std::string content = content_of(random_event(GetParam()));
    for (std::size_t length = 0; length < content.size(); ++length) {
      const std::string record = with_length(std::string_view(content).substr(0, length));
      std::string_view rest = record;
      const auto read = take_alone(rest, {1});
      RC_ASSERT(read.has_value() == rest.empty());
      if (!read) RC_ASSERT(read.error().code == ErrorCode::kStorage);
      if (read) RC_ASSERT(content_of(*read).starts_with(std::string_view(content).substr(0, length)));
    }
  }));
}

TEST_P(EveryEvent, ARecordWithoutFieldsHasDefaults) {
  RunEvent event = plain_event(GetParam());
  event.sequence = {1};
  event.at = {1};
  event.elapsed_ms = 2;
  const std::string content{static_cast<char>(GetParam() + 1), 1, 2};
  const std::string record = with_length(content);
  std::string_view rest = record;
  const auto read = take_alone(rest, {1});
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, event);
}

TEST_P(EveryEvent, WhatANewerVersionAddedIsSkipped) {
  EXPECT_TRUE(rc::check([] {
    const RunEvent event = random_event(GetParam());
    const auto more = *rc::gen::nonEmpty(rc::gen::arbitrary<std::string>());
    const std::string next = record_of(plain_event(0));
    const std::string bytes = with_length(content_of(event) + more) + next;
    std::string_view rest = bytes;
    const auto read = take_alone(rest, event.sequence);
    RC_ASSERT(read.has_value());
    RC_ASSERT((*read == event));
    RC_ASSERT(rest == next);
  }));
}

TEST_P(EveryEvent, AFieldOfTheWrongTypeIsNoEventInJson) {
  const RunEvent event = plain_event(GetParam());
  std::vector<std::string> names;
  auto collect = [&](std::string_view name, const auto&) { names.emplace_back(name); };
  std::visit([&](const auto& body) { std::decay_t<decltype(body)>::fields(body, collect); }, event.body);
  for (const auto& name : names) {
    if (name == "type") continue;
    const auto value = parse_json("{\"type\":\"" + std::string(name_at(GetParam())) + "\",\"" + name + "\":-1.5}");
    ASSERT_TRUE(value);
    EXPECT_FALSE(event_from_json(*value)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryEvent, ::testing::Range(std::size_t{0}, kEventCount), [](const auto& info) {
  std::string name(name_at(info.param));
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

TEST(EventTypes, AreInTheOrderOfTheVariantAndNamedOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kEventTypes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kEventTypes[i].type), i + 1);
    EXPECT_EQ(name_of(kEventTypes[i].type), kEventTypes[i].name);
    EXPECT_TRUE(names.insert(kEventTypes[i].name).second);
  }
}

TEST(JsonForm, FieldNamesAreFree) {
  for (std::size_t i = 0; i < kEventCount; ++i) {
    EXPECT_FALSE(is_ambiguous_in_json(i)) << name_at(i);
  }
}

TEST(Records, StandOneAfterTheOther) {
  EXPECT_TRUE(rc::check([] {
    const auto indexes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kEventCount));
    std::vector<RunEvent> events;
    std::string bytes;
    for (const auto index : indexes) {
      events.push_back(random_event(index));
      events.back().sequence = {events.size()};
      append_record(bytes, events.back());
    }
    std::string_view rest = bytes;
    for (const auto& event : events) {
      const auto length = record_length(rest);
      const std::size_t before = rest.size();
      const auto read = take_alone(rest, event.sequence);
      RC_ASSERT(read.has_value());
      RC_ASSERT((*read == event));
      RC_ASSERT(*length == before - rest.size());
    }
    RC_ASSERT(rest.empty());
  }));
}

TEST(Records, LongOnesHaveALongLength) {
  for (const std::size_t size : {100u, 120u, 127u, 128u, 16'380u, 16'384u, 3'000'000u}) {
    const RunEvent event{{1}, {1}, 1, TextDelta{1, 1, std::string(size, 'x')}};
    const std::string record = record_of(event);
    std::string_view rest = record;
    EXPECT_EQ(*record_length(record), record.size());
    EXPECT_EQ(*take_alone(rest, {1}), event);
  }
}

TEST(Records, AFurtherWordIsShort) {
  std::string bytes;
  RecordContext context;
  append_record(bytes, {{4}, {1000}, 70, TextDelta{1, 2, "ab"}}, context);
  const std::size_t first = bytes.size();
  append_record(bytes, {{5}, {1300}, 370, TextDelta{1, 2, "cde"}}, context);
  EXPECT_EQ(bytes.substr(first), std::string("\x06\x00\xac\x02"
                                             "cde",
                                             7));
}

// Each next to a word of turn 1 and part 1 at 1000 ms, 70 ms after the beginning.
TEST(Records, WhatIsNoFurtherWordIsWrittenInFull) {
  const std::pair<RunEvent, bool> cases[] = {
      {{{2}, {1000}, 70, TextDelta{1, 1, "word"}}, true},
      {{{2}, {1000}, 70, TextDelta{1, 1, ""}}, true},
      {{{2}, {90'001'000}, 90'000'070, TextDelta{1, 1, "a day later"}}, true},
      {{{2}, {1000}, 70, TextDelta{2, 1, "word"}}, false},
      {{{2}, {1000}, 70, TextDelta{1, 2, "word"}}, false},
      {{{2}, {1001}, 70, TextDelta{1, 1, "the clocks differ"}}, false},
      {{{2}, {999}, 71, TextDelta{1, 1, "the clock was set back"}}, false},
      {{{2}, {999}, 69, TextDelta{1, 1, "both go back"}}, false},
      {{{2}, {1000}, 70, ReasoningDelta{1, 1, "no text"}}, false},
      {{{2}, {1000}, 70, TextFinished{1, 1}}, false},
  };
  for (const auto& [event, is_short] : cases) {
    const RunEvent before{{1}, {1000}, 70, TextDelta{1, 1, "before"}};
    std::string bytes;
    RecordContext written;
    append_record(bytes, before, written);
    const std::string whole = record_of(event);
    append_record(bytes, event, written);
    EXPECT_EQ(!bytes.ends_with(whole), is_short) << event_to_json(event);
    RecordContext read;
    std::string_view rest = bytes;
    EXPECT_EQ(*take_record(rest, {1}, read), before);
    EXPECT_EQ(*take_record(rest, {2}, read), event);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(Records, WordsInARowAreReadAsTheyWere) {
  EXPECT_TRUE(rc::check([] {
    std::vector<RunEvent> events;
    RunEvent event{{0}, {*rc::gen::arbitrary<std::int64_t>()}, *rc::gen::arbitrary<std::uint32_t>(), {}};
    if (event.at.ms < 0) event.at.ms = 0;
    for (int count = *rc::gen::inRange(0, 40); count > 0; --count) {
      const auto later = *rc::gen::element<std::uint32_t>(0, 0, 0, 1, 20, 127, 128, 100'000);
      event.sequence = event.sequence.next();
      event.elapsed_ms += later;
      event.at.ms = static_cast<std::int64_t>(static_cast<std::uint64_t>(event.at.ms) + later);
      if (*rc::gen::inRange(0, 8) == 0) ++event.elapsed_ms;
      if (*rc::gen::inRange(0, 8) == 0) {
        event.body = TextStarted{1, 1};
      } else {
        event.body = TextDelta{*rc::gen::inRange(1u, 3u), 1, *rc::gen::arbitrary<std::string>()};
      }
      events.push_back(event);
    }
    std::string bytes;
    RecordContext written, read;
    std::size_t together = 0;
    for (const auto& one : events) {
      append_record(bytes, one, written);
      together += record_of(one).size();
    }
    RC_ASSERT(bytes.size() <= together);
    std::string_view rest = bytes;
    RunEvent into;  // one for all, as a cursor has it
    for (const auto& one : events) {
      RC_ASSERT(take_record(rest, one.sequence, read, into));
      RC_ASSERT((into == one));
    }
    RC_ASSERT(rest.empty());
  }));
}

TEST(Records, GarbageIsRefused) {
  const std::string cases[] = {
      "",
      std::string(1, '\0'),                                             // no type
      std::string("\x03\x00\x01\x01", 4),                               // a further word without one before
      std::string("\x03\x23\x01\x01", 4),                               // a type that is not there yet
      std::string("\x03\xff\x01\x01", 4),                               //
      std::string("\x01\x07", 2),                                       // no time
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10),      // a length of 2^64 - 1
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),  // a number that never ends
      std::string("\x05\x07\x01\x01\x80\x80", 6),                       // a field cut inside
      std::string("\x08\x19\x01\x01\xff\xff\xff\xff\x7f", 9),           // a list of 2^35 tasks without any
  };
  for (const auto& bytes : cases) {
    std::string_view rest = bytes;
    const auto read = take_alone(rest, {1});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kStorage);
    EXPECT_EQ(rest.size(), bytes.size());
  }
}

TEST(Records, RandomBytesDoNoHarm) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::arbitrary<std::string>();
    std::string_view rest = bytes;
    const auto read = take_alone(rest, {1});
    if (!read) return;
    const std::string again = record_of(*read);
    std::string_view second = again;
    const auto read_again = take_alone(second, {1});
    RC_ASSERT(read_again.has_value());
    RC_ASSERT((*read_again == *read));
  }));
}

TEST(JsonForm, IsAsDocumented) {
  EXPECT_EQ(event_to_json({{7}, {1'771'102'980'000}, 12, TextDelta{1, 2, "a\"\xe2\x80\xa8"}}),
            R"({"sequence":7,"at":1771102980000,"elapsed_ms":12,"type":"text.delta","turn":1,"part":2,)"
            R"("text":"a\"\u2028"})");
}

TEST(JsonForm, MissingFieldsHaveDefaults) {
  const auto read = event_from_json(*parse_json(R"({"type":"text.delta","text":"a","more":1})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (RunEvent{{0}, {0}, 0, TextDelta{0, 0, "a"}}));
}

TEST(JsonForm, WhatIsNoEventIsRefused) {
  for (const char* text :
       {"1", "null", "[]", "{}", R"({"type":1})", R"({"type":"text"})", R"({"type":"text.delta","turn":-1})",
        R"({"type":"text.delta","turn":4294967296})", R"({"type":"text.delta","sequence":"1"})",
        R"({"type":"model.finished","opaque":[1]})", R"({"type":"tool.started","call_id":"nope"})",
        R"({"type":"run.failed","code":256})", R"({"type":"model.finished","usage":{"input_tokens":"1"}})"}) {
    const auto read = event_from_json(*parse_json(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  }
}

}  // namespace
}  // namespace braidlog
