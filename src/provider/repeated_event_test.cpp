#include "provider/repeated_event.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

constexpr std::string_view kFirst = R"({"id":"c1","choices":[{"delta":{"content":" one"},"finish_reason":null}]})";

std::string with(std::string_view text) {
  std::string json(kFirst);
  return json.replace(json.find(" one"), 4, text);
}

class RepeatedEventTest : public ::testing::Test {
 protected:
  RepeatedEventTest() { event_.remember(kFirst, kFirst.find(" one")); }
  RepeatedEvent event_;
};

TEST_F(RepeatedEventTest, FindsThePieceThatIsAnother) {
  EXPECT_EQ(event_.text_of(with(" two")), " two");
  EXPECT_EQ(event_.text_of(with("")), "");
  EXPECT_EQ(event_.text_of(with("a much longer piece, with ü and 😀")), "a much longer piece, with ü and 😀");
  EXPECT_EQ(event_.text_of(kFirst), " one");
}

TEST_F(RepeatedEventTest, LeavesToTheParserWhatCouldMeanSomethingElse) {
  EXPECT_FALSE(event_.text_of(with("\\n")));
  EXPECT_FALSE(event_.text_of(with("x\"},\"finish_reason\":\"stop\",\"y\":{\"z\":\"")));
  EXPECT_FALSE(event_.text_of(with("\"")));
  EXPECT_FALSE(event_.text_of(with("\n")));
  EXPECT_FALSE(event_.text_of(with("\xff")));
  EXPECT_FALSE(event_.text_of(with("\xc3")));
}

TEST_F(RepeatedEventTest, EverythingAroundMustBeTheSame) {
  EXPECT_FALSE(event_.text_of(R"({"id":"c2","choices":[{"delta":{"content":" one"},"finish_reason":null}]})"));
  EXPECT_FALSE(event_.text_of(R"({"id":"c1","choices":[{"delta":{"content":" one"},"finish_reason":"stop"}]})"));
  EXPECT_FALSE(event_.text_of(kFirst.substr(0, kFirst.size() - 1)));
  EXPECT_FALSE(event_.text_of(kFirst.substr(0, kFirst.find(" one"))));
  EXPECT_FALSE(event_.text_of(""));
}

TEST_F(RepeatedEventTest, NeitherEndMayOverlapTheOther) {
  // What stands before and after, with nothing between, is longer than this text that begins and ends like it.
  RepeatedEvent event;
  event.remember(R"({"a":"x"})", 6);
  EXPECT_EQ(event.text_of(R"({"a":""})"), "");
  EXPECT_FALSE(event.text_of(R"({"a":"})"));
}

TEST_F(RepeatedEventTest, RemembersNothingOfAPieceWithEscapesOrOfALongEvent) {
  const std::string escaped = with("\\n");
  event_.remember(escaped, escaped.find("\\n"));
  EXPECT_FALSE(event_.text_of(kFirst));
  const std::string long_one = R"({"pad":")" + std::string(2000, 'p') + R"(","content":"x"})";
  event_.remember(long_one, long_one.size() - 3);
  EXPECT_FALSE(event_.text_of(long_one));
}

TEST(RepeatedEvent, KnowsNothingAtFirst) {
  EXPECT_FALSE(RepeatedEvent().text_of(""));
  EXPECT_FALSE(RepeatedEvent().text_of(kFirst));
}

// ---- straight from the stream ----

std::string event_with(std::string_view text) {
  return "data: " + with(text) + "\n\n";
}

TEST_F(RepeatedEventTest, TakesEventsOffTheFrontOfAStream) {
  const std::string stream = event_with(" two") + event_with("") + event_with("drei ü") + "data: [DONE]\n\n";
  std::string_view rest = stream;
  EXPECT_EQ(event_.take_from(rest), " two");
  EXPECT_EQ(event_.take_from(rest), "");
  EXPECT_EQ(event_.take_from(rest), "drei ü");
  EXPECT_FALSE(event_.take_from(rest));
  EXPECT_EQ(rest, "data: [DONE]\n\n");
}

TEST_F(RepeatedEventTest, TakesNoEventThatIsNotWhole) {
  const std::string whole = event_with(" two");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string_view cut = std::string_view(whole).substr(0, size);
    EXPECT_FALSE(event_.take_from(cut)) << size;
    EXPECT_EQ(cut.size(), size);
  }
}

TEST_F(RepeatedEventTest, TakesNothingThatCouldMeanSomethingElse) {
  const std::string json = with(" two");
  for (const std::string& other :
       {event_with("\\n"), event_with("\""), event_with("\n"), event_with("\xff"), event_with(std::string(2000, 'x')),
        "data:" + json + "\n\n", "data: " + json + "\n\r\n", "data: " + json + "\r\n\r\n",
        "data: " + json + "\ndata: x\n\n", ": x\ndata: " + json + "\n\n", " data: " + json + "\n\n",
        "data: " + json + " \n\n"}) {
    std::string_view rest = other;
    EXPECT_FALSE(event_.take_from(rest)) << other;
    EXPECT_EQ(rest, other);
  }
  RepeatedEvent several_lines;
  several_lines.remember("{\n\"a\":\"x\"}", 7);
  EXPECT_FALSE(several_lines.text_of("{\n\"a\":\"x\"}"));
  RepeatedEvent empty;
  std::string_view rest = "data: \n\n";
  EXPECT_FALSE(empty.take_from(rest));
}

}  // namespace
}  // namespace braidlog::provider
