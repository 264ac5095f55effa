#include "server/run_clients.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"

namespace braidlog {
namespace {

using std::chrono::milliseconds;

class RunClientsTest : public ::testing::Test {
 protected:
  RunClients::Seat sit(ViewerRole role) { return clients_.sit_down(run_, role, {"ann"}); }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  std::vector<std::string> stopped_;
  RunId run_{Id128{{7}}};
  RunClients clients_{loop_, milliseconds(3000), [this](RunId run, const api::Caller& client) {
                        EXPECT_EQ(run, run_);
                        stopped_.push_back(client.user_id);
                      }};
};

TEST_F(RunClientsTest, AClientThatLeavesStopsItsRunAtOnce) {
  auto client = sit(ViewerRole::kClient);
  EXPECT_TRUE(stopped_.empty());
  client.give_up();
  EXPECT_EQ(stopped_, std::vector<std::string>{"ann"});
  client.give_up();
  EXPECT_EQ(stopped_.size(), 1u);
}

TEST_F(RunClientsTest, ViewersComeAndGoWithoutEffect) {
  auto client = sit(ViewerRole::kClient);
  sit(ViewerRole::kViewer);
  sit(ViewerRole::kTakesPlace);
  EXPECT_TRUE(stopped_.empty());
}

TEST_F(RunClientsTest, WhoMayComeBackIsWaitedFor) {
  sit(ViewerRole::kMayComeBack);
  loop_.advance(milliseconds(2999));
  EXPECT_TRUE(stopped_.empty());
  loop_.advance(milliseconds(1));
  EXPECT_EQ(stopped_.size(), 1u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(RunClientsTest, WhoTakesThePlaceBecomesTheClient) {
  sit(ViewerRole::kMayComeBack);
  loop_.advance(milliseconds(1000));
  auto follower = sit(ViewerRole::kTakesPlace);
  loop_.advance(milliseconds(60000));
  EXPECT_TRUE(stopped_.empty());
  follower.give_up();
  loop_.advance(milliseconds(3000));
  EXPECT_EQ(stopped_.size(), 1u);
  sit(ViewerRole::kTakesPlace);
  loop_.advance(milliseconds(3000));
  EXPECT_EQ(stopped_.size(), 1u) << "too late: it only looks";
}

TEST_F(RunClientsTest, ARunThatIsOverNeedsNobody) {
  sit(ViewerRole::kClient).run_is_over();
  auto client = sit(ViewerRole::kMayComeBack);
  client.run_is_over();
  loop_.advance(milliseconds(3000));
  EXPECT_TRUE(stopped_.empty());
}

}  // namespace
}  // namespace braidlog
