#include "engine/fresh_sessions.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

api::Session numbered(std::uint8_t number) {
  api::Session session;
  session.id = SessionId{Id128{{number}}};
  session.title = "Session " + std::to_string(number);
  return session;
}

TEST(FreshSessions, AreTakenOnce) {
  FreshSessions fresh;
  fresh.add(numbered(1));
  EXPECT_FALSE(fresh.take(numbered(2).id));
  const auto taken = fresh.take(numbered(1).id);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->title, "Session 1");
  EXPECT_FALSE(fresh.take(numbered(1).id));
}

TEST(FreshSessions, AreForgottenWhenTheyChange) {
  FreshSessions fresh;
  fresh.add(numbered(1));
  fresh.forget(numbered(1).id);
  EXPECT_FALSE(fresh.take(numbered(1).id));
}

TEST(FreshSessions, TheOldestGoFirst) {
  FreshSessions fresh(2);
  for (std::uint8_t number = 1; number <= 4; ++number) fresh.add(numbered(number));
  EXPECT_FALSE(fresh.take(numbered(1).id));
  EXPECT_FALSE(fresh.take(numbered(2).id));
  EXPECT_TRUE(fresh.take(numbered(3).id));
  EXPECT_TRUE(fresh.take(numbered(4).id));
}

}  // namespace
}  // namespace braidlog
