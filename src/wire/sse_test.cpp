#include "wire/sse.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <vector>

namespace braidlog {
namespace {

using Events = std::vector<std::string>;  // "type|data|id"

// Feeds `stream` in two pieces, cut at `cut`; none when the reader gave up.
std::optional<Events> read(std::string_view stream, std::size_t cut = 0, std::size_t line_bytes_max = 1000) {
  SseReader reader(line_bytes_max);
  Events events;
  const auto sink = [&](SseEvent&& event) { events.push_back(event.type + "|" + event.data + "|" + event.last_id); };
  if (!reader.feed(stream.substr(0, cut), sink) || !reader.feed(stream.substr(cut), sink)) return std::nullopt;
  return events;
}

TEST(Sse, FramesAreExact) {
  std::string out = "x";
  append_frame(out, "run_started", "evt_1", "{}");
  EXPECT_EQ(out, "xevent: run_started\nid: evt_1\ndata: {}\n\n");
  out.clear();
  append_frame(out, "", "", "{}");
  EXPECT_EQ(out, "data: {}\n\n");
}

TEST(Sse, ReadsAsTheStandardSaysHoweverItIsSplit) {
  const struct {
    std::string_view stream;
    Events events;
  } cases[] = {
      {"data: a\n\n", {"message|a|"}},
      {"data:a\r\rdata: b\r\n\r\n", {"message|a|", "message|b|"}},
      {"data:  two spaces\n\n", {"message| two spaces|"}},
      {"\xEF\xBB\xBF"
       "data: bom\n\n",
       {"message|bom|"}},
      {"\xEF\xBB\xBF\xEF\xBB\xBF"
       "data: only one\n\ndata: x\n\n",
       {"message|x|"}},
      {": comment\n\n:\n\ndata: a\n\n", {"message|a|"}},
      {"data: a\ndata\ndata: b\n\n", {"message|a\n\nb|"}},
      {"data\n\n", {"message||"}},
      {"event: t\nid: 1\ndata: a\n\ndata: b\n\n", {"t|a|1", "message|b|1"}},
      {"event: lost\n\ndata: a\n\n", {"message|a|"}},
      {"id: 1\ndata: a\n\nid\ndata: b\n\n", {"message|a|1", "message|b|"}},
      {std::string_view("id: a\0b\ndata: x\n\n", 17), {"message|x|"}},
      {"retry: 10\nunknown: x\ndata: a\n\n", {"message|a|"}},
      {"data: never ended\n", {}},
      {"data: a:b\n\n", {"message|a:b|"}},
  };
  for (const auto& [stream, events] : cases) {
    for (std::size_t cut = 0; cut <= stream.size(); ++cut)
      EXPECT_EQ(read(stream, cut), events) << stream << " at " << cut;
  }
}

TEST(Sse, LinesAndDataHaveACap) {
  EXPECT_TRUE(read("data: 67\n\n", 0, 8));
  for (std::size_t cut = 0; cut <= 9; ++cut) EXPECT_FALSE(read("data: 678\n\n", cut, 8));
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "data: x\n";
  EXPECT_FALSE(read(endless, 0, 50));

  SseReader reader(3);
  const auto sink = [](SseEvent&&) { ADD_FAILURE(); };
  EXPECT_FALSE(reader.feed("abcd", sink));
  EXPECT_FALSE(reader.feed("\n\ndata:\n\n", sink));  // and it stays that way
}

TEST(Sse, ASinkMayHaveHeardEnough) {
  SseReader reader(100);
  Events events;
  const auto sink = [&](const SseView& event) {
    events.emplace_back(event.data);
    return event.data != "b";
  };
  EXPECT_TRUE(reader.feed("data: a\n\ndata: b\n\ndata: c\n\n", sink));
  EXPECT_EQ(events, (Events{"a", "b"}));
}

TEST(Sse, FramesReadBackSplitAtEveryByte) {
  rc::check("round trip", [] {
    const auto line = rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
    const auto type = *rc::gen::element<std::string>("", "delta", "run_completed");
    const auto id = *rc::gen::element<std::string>("", "evt_01_000001");
    const auto data = *line;
    std::string stream;
    append_frame(stream, type, id, data);
    append_frame(stream, "", "", "end");
    const Events expected{(type.empty() ? "message" : type) + "|" + data + "|" + id, "message|end|" + id};
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) RC_ASSERT(read(stream, cut) == expected);
  });
}

}  // namespace
}  // namespace braidlog
