#include "auth/identity_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "auth/secret.h"
#include "base/testing/fake_loop.h"
#include "port/testing/memory_identity_store.h"

namespace braidlog::auth {
namespace {

using std::chrono::milliseconds;

class IdentityWatchTest : public ::testing::Test {
 protected:
  IdentityWatchTest() {
    std::string name = ::testing::TempDir() + "braidlog-watch-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    notice_ = std::make_unique<ChangeNotice>(std::move(*ChangeNotice::open(folder_)));
    records_.users = {{.id = "user_1", .name = "Ada"}};
    key_ = make_key();
    records_.keys = {{.id = "key_1",
                      .user_id = "user_1",
                      .key_hash = hash_of(key_).text(),
                      .label = {},
                      .created_at = clock_.wall()}};
    watch_ = std::make_unique<IdentityWatch>(loop_, pool_, identities_, *notice_);
    EXPECT_EQ(watch_->load(), 1u);
    watch_->begin();
  }
  ~IdentityWatchTest() override {
    watch_.reset();
    std::filesystem::remove_all(folder_);
  }
  bool is_good() {
    const std::string header = "Bearer " + key_;
    return identities_.authenticate({header, {}}).has_value();
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  testing::InlinePool pool_;
  IdentityRecords records_;
  testing::MemoryIdentityStore store_{records_};
  Identities identities_{store_, pool_, clock_, Limits{}, false};
  std::string folder_, key_;
  std::unique_ptr<ChangeNotice> notice_;
  std::unique_ptr<IdentityWatch> watch_;
};

TEST_F(IdentityWatchTest, WhatACommandChangesIsTakenUpBeforeItIsSeen) {
  EXPECT_TRUE(is_good());
  records_.keys[0].revoked_at = clock_.wall();
  const auto announced = notice_->announce();
  EXPECT_FALSE(notice_->is_seen(announced));
  loop_.advance(milliseconds(100));
  EXPECT_TRUE(notice_->is_seen(announced));
  EXPECT_FALSE(is_good());
}

TEST_F(IdentityWatchTest, AReloadThatFailsIsTriedAgain) {
  records_.keys[0].revoked_at = clock_.wall();
  store_.is_broken = true;
  const auto announced = notice_->announce();
  loop_.advance(milliseconds(500));
  EXPECT_FALSE(notice_->is_seen(announced));
  EXPECT_TRUE(is_good());
  store_.is_broken = false;
  loop_.advance(milliseconds(100));
  EXPECT_TRUE(notice_->is_seen(announced));
  EXPECT_FALSE(is_good());
}

TEST_F(IdentityWatchTest, UsesAreWrittenDownOnceAMinuteAndWhenACommandAsks) {
  EXPECT_TRUE(is_good());
  loop_.advance(milliseconds(59'000));
  EXPECT_FALSE(records_.keys[0].used_at);
  loop_.advance(milliseconds(2'000));
  EXPECT_TRUE(records_.keys[0].used_at);
  EXPECT_TRUE(is_good());
  const auto at = clock_.wall();
  notice_->announce();
  loop_.advance(milliseconds(100));
  EXPECT_EQ(records_.keys[0].used_at, at);
}

TEST_F(IdentityWatchTest, WhatRunsOutOfTimeEndsByItself) {
  std::vector<std::string> ended;
  identities_.when_ended([&](const std::string& id) { ended.push_back(id); });
  records_.keys[0].expires_at = WallTime{clock_.wall().ms + 1000};
  notice_->announce();
  loop_.advance(milliseconds(900));
  EXPECT_TRUE(ended.empty());
  loop_.advance(milliseconds(200));
  EXPECT_EQ(ended, std::vector<std::string>{"key_1"});
}

}  // namespace
}  // namespace braidlog::auth
