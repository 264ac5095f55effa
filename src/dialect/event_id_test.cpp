#include "dialect/event_id.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace braidlog {
namespace {

constexpr char kUlid[] = "01KHF0000070008000000000AA";

std::string text_of(const EventId& id) {
  std::string out;
  append_event_id(out, id);
  return out;
}

EventId arbitrary_id() {
  EventId id;
  for (auto& byte : id.run_id.value.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  id.sequence.value = *rc::gen::inRange<std::uint64_t>(1, 10'000'000'000);
  if (*rc::gen::arbitrary<bool>()) {
    id.part = FramePart{*rc::gen::inRange('a', static_cast<char>('z' + 1)), *rc::gen::arbitrary<std::uint32_t>()};
  }
  return id;
}

TEST(EventId, IsSpelledAsTheGrammarSays) {
  const auto run_id = *RunId::parse(kUlid);
  EXPECT_EQ(text_of({run_id, {7}, std::nullopt}), "evt_01KHF0000070008000000000AA_0000000007");
  EXPECT_EQ(text_of({run_id, {7}, FramePart{'c', 0}}), "evt_01KHF0000070008000000000AA_0000000007.c0");
  const EventId longest{run_id, {9'999'999'999}, FramePart{'a', 4'294'967'295}};
  EXPECT_EQ(text_of(longest), "evt_01KHF0000070008000000000AA_9999999999.a4294967295");
  EXPECT_EQ(text_of(longest).size(), kEventIdBytesMax);
}

TEST(EventId, ThePiecesMakeTheWhole) {
  const auto run_id = *RunId::parse(kUlid);
  std::string text = event_id_prefix(run_id);
  append_event_sequence(text, {42});
  EXPECT_EQ(text, text_of({run_id, {42}, std::nullopt}));
}

TEST(EventId, EveryIdReadsBack) {
  EXPECT_TRUE(rc::check([] {
    const EventId id = arbitrary_id();
    RC_ASSERT(parse_event_id(text_of(id)) == std::optional(id));
  }));
}

TEST(EventId, WhatIsReadIsWrittenTheSame) {
  EXPECT_TRUE(rc::check([] {
    std::string text = text_of(arbitrary_id());
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = static_cast<char>(*rc::gen::arbitrary<std::uint8_t>());
    const auto id = parse_event_id(text);
    if (!id) return;
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    std::string again = text_of(*id);
    for (char& c : again) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    RC_ASSERT(again == text);
  }));
}

TEST(EventId, StringOrderIsEventOrder) {
  EXPECT_TRUE(rc::check([] {
    EventId a = arbitrary_id(), b = a;
    a.part = b.part = std::nullopt;
    b.sequence.value = *rc::gen::inRange<std::uint64_t>(1, 10'000'000'000);
    RC_ASSERT((a.sequence < b.sequence) == (text_of(a) < text_of(b)));
  }));
}

TEST(EventId, ReadsLowerCase) {
  EXPECT_EQ(parse_event_id("evt_01khf0000070008000000000aa_0000000007"),
            parse_event_id("evt_01KHF0000070008000000000AA_0000000007"));
  EXPECT_TRUE(parse_event_id("evt_01khf0000070008000000000aa_0000000007"));
}

TEST(EventId, RefusesEverythingElse) {
  const std::string good = "evt_01KHF0000070008000000000AA_0000000007";
  ASSERT_TRUE(parse_event_id(good));
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(parse_event_id(std::string_view(good).substr(0, length))) << length;
  }
  for (const char* text : {"evt_01KHF0000070008000000000AA_0000000000",              // events count from 1
                           "evt_01KHF0000070008000000000AA_00000000071",             // eleven digits
                           "evt_01KHF0000070008000000000AA_000000007",               // nine
                           "evt_01KHF0000070008000000000AA_+000000007",              // no signs
                           "evt_01KHF0000070008000000000AA_0000000007.",             // a part without mark and digits
                           "evt_01KHF0000070008000000000AA_0000000007.c",            // without digits
                           "evt_01KHF0000070008000000000AA_0000000007.1",            // without a mark
                           "evt_01KHF0000070008000000000AA_0000000007.C1",           // a mark is a small letter
                           "evt_01KHF0000070008000000000AA_0000000007.cc1",          //
                           "evt_01KHF0000070008000000000AA_0000000007.c01",          // padded
                           "evt_01KHF0000070008000000000AA_0000000007.c-1",          //
                           "evt_01KHF0000070008000000000AA_0000000007.c4294967296",  // over 32 bits
                           "evt_01KHF0000070008000000000AA_0000000007.c1.c1",        //
                           "evt_01KHF0000070008000000000AA_0000000007.c1 ",          //
                           "evt_01KHF0000070008000000000AA_0000000007 ",             //
                           " evt_01KHF0000070008000000000AA_0000000007",             //
                           "evt_01KHF0000070008000000000AA-0000000007",              //
                           "evt_81KHF0000070008000000000AA_0000000007",              // over 128 bits
                           "evt_01KHF000007000800000000UAA_0000000007",              // no Crockford letter
                           "EVT_01KHF0000070008000000000AA_0000000007",              //
                           "run_01KHF0000070008000000000AA_0000000007",              //
                           "evt_run_01KHF0000070008000000000AA_0000000007",          //
                           "evt_019c5e00-0000-7000-8000-000000000001_0000000007"}) {
    EXPECT_FALSE(parse_event_id(text)) << text;
  }
}

TEST(EventId, AMegabyteIsNoId) {
  EXPECT_FALSE(parse_event_id(std::string(1 << 20, 'x')));
  EXPECT_FALSE(parse_event_id("evt_01KHF0000070008000000000AA_" + std::string(1 << 20, '0')));
  EXPECT_FALSE(parse_event_id("evt_01KHF0000070008000000000AA_0000000007.c" + std::string(1 << 20, '0')));
}

}  // namespace
}  // namespace braidlog
