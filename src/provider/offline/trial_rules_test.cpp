#include <gtest/gtest.h>

#include "provider/offline/rules.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

TEST(OfflineTrial, CallsTheToolAndShowsWhatItGives) {
  OfflineChat chat({"get_order", "calculator"});
  const auto turn = chat.ask("call get_order {\"id\": \"7\", \"note\": \"call calculator {}\"}");
  EXPECT_EQ(turn.text, "");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].name, "get_order");
  EXPECT_EQ(turn.calls[0].args, R"({"id": "7", "note": "call calculator {}"})") << "as it was written";
  chat.result("call_1", "{\"state\":\"sent\"}");
  EXPECT_EQ(chat.turn().text, "get_order gave:\n\n```\n{\"state\":\"sent\"}\n```");
}

TEST(OfflineTrial, TheFenceHoldsWhateverTheToolGives) {
  OfflineChat chat({"read"});
  chat.ask("  call read\n{}  ");
  chat.result("call_1", "```\ncode\n````");
  EXPECT_EQ(chat.turn().text, "read gave:\n\n`````\n```\ncode\n````\n`````");
}

TEST(OfflineTrial, OnlyThisShapeAndOnlyToolsOnOffer) {
  for (const char* ask : {"call read", "call read {", "call read []", "call read {} please", "call  {}", "Call read {}",
                          "please call read {}", "call write {}", "call me {\"a\":1}", "callread {}"}) {
    OfflineChat chat({"read"});
    EXPECT_TRUE(chat.ask(ask).calls.empty()) << ask;
  }
}

TEST(OfflineTrial, GoesBeforeEveryOtherRule) {
  OfflineChat chat({"calculator", "file_write"});
  const auto turn = chat.ask(R"(call calculator {"expression":"say exactly: what is 1+1?"})");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].name, "calculator");
}

}  // namespace
}  // namespace braidlog::provider
