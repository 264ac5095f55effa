// The behaviour of the IdentityStore port, once, for every adapter. In one test file of the adapter:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, IdentityStoreContract, ::testing::Values(&make_place));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "port/identity_store.h"

namespace braidlog::testing {

// Where the data of a store lives. Empty when made; destroyed with all its data.
class IdentityPlace {
 public:
  virtual ~IdentityPlace() = default;
  // A store on what is here. There may be several at once.
  virtual std::unique_ptr<IdentityStore> open() = 0;
};
using IdentityPlaceFactory = std::unique_ptr<IdentityPlace> (*)();

class IdentityStoreFixture : public ::testing::Test {
 protected:
  static constexpr WallTime kNow{1'771'102'980'000};

  static UserRecord user(std::string id, std::string name) {
    return {.id = std::move(id), .name = std::move(name), .password_hash = "hash", .created_at = kNow};
  }
  static LoginRecord login(const std::string& id, std::string user_id) {
    return {
        .id = id, .token_hash = "hash of " + id, .user_id = std::move(user_id), .created_at = kNow, .used_at = kNow};
  }
  static KeyRecord key(const std::string& id, std::string user_id) {
    return {.id = id, .user_id = std::move(user_id), .key_hash = "hash of " + id, .label = "ci", .created_at = kNow};
  }

  void use(std::unique_ptr<IdentityPlace> place) {
    place_ = std::move(place);
    reopen();
  }
  void reopen() {
    store_.reset();
    store_ = place_->open();
    ASSERT_NE(store_, nullptr);
  }
  IdentityRecords load() {
    auto all = store_->load();
    EXPECT_TRUE(all.has_value()) << all.error().message;
    return all ? *all : IdentityRecords{};
  }

  std::unique_ptr<IdentityPlace> place_;
  std::unique_ptr<IdentityStore> store_;
};

class IdentityStoreContract : public IdentityStoreFixture, public ::testing::WithParamInterface<IdentityPlaceFactory> {
 protected:
  void SetUp() override { use(GetParam()()); }
};

TEST_P(IdentityStoreContract, KeepsWhatItIsGiven) {
  UserRecord ada = user("user_1", "Ada");
  ada.is_admin = true;
  KeyRecord laptop = key("key_1", "user_1");
  laptop.expires_at = WallTime{kNow.ms + 5};
  ASSERT_TRUE(store_->add_user(ada).has_value());
  ASSERT_TRUE(store_->add_login(login("login_1", "user_1"), "").has_value());
  ASSERT_TRUE(store_->add_key(laptop).has_value());

  reopen();
  const auto all = load();
  ASSERT_EQ(all.users.size(), 1u);
  EXPECT_EQ(all.users[0].name, "Ada");
  EXPECT_EQ(all.users[0].password_hash, "hash");
  EXPECT_TRUE(all.users[0].is_admin);
  EXPECT_FALSE(all.users[0].is_disabled);
  ASSERT_EQ(all.logins.size(), 1u);
  EXPECT_EQ(all.logins[0].token_hash, "hash of login_1");
  EXPECT_EQ(all.logins[0].used_at, kNow);
  ASSERT_EQ(all.keys.size(), 1u);
  EXPECT_EQ(all.keys[0].label, "ci");
  EXPECT_EQ(all.keys[0].expires_at, laptop.expires_at);
  EXPECT_FALSE(all.keys[0].used_at || all.keys[0].revoked_at);
}

TEST_P(IdentityStoreContract, ANameIsTakenInEverySpelling) {
  ASSERT_TRUE(store_->add_user(user("user_1", "Ada")).has_value());
  const auto again = store_->add_user(user("user_2", "aDA"));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kInvalidState);
  EXPECT_EQ(load().users.size(), 1u);
}

TEST_P(IdentityStoreContract, ANewPasswordAndADisabledUserEndTheCookies) {
  for (const char* name : {"1", "2"}) {
    ASSERT_TRUE(store_->add_user(user(std::string("user_") + name, name)).has_value());
    ASSERT_TRUE(store_->add_login(login(std::string("login_") + name, std::string("user_") + name), "").has_value());
  }
  ASSERT_TRUE(store_->set_password("user_1", "another").has_value());
  auto all = load();
  EXPECT_EQ(all.users[0].password_hash, "another");
  EXPECT_EQ(all.users[1].password_hash, "hash");
  ASSERT_EQ(all.logins.size(), 1u);
  EXPECT_EQ(all.logins[0].id, "login_2");

  ASSERT_TRUE(store_->disable_user("user_2").has_value());
  all = load();
  EXPECT_TRUE(all.users[1].is_disabled);
  EXPECT_TRUE(all.logins.empty());
  ASSERT_TRUE(store_->enable_user("user_2").has_value());
  EXPECT_FALSE(load().users[1].is_disabled);
}

// A command changes the user while the server checks the password that was good a moment ago.
TEST_P(IdentityStoreContract, ALoginCountsOnlyForThePasswordThatWasChecked) {
  ASSERT_TRUE(store_->add_user(user("user_1", "Ada")).has_value());
  EXPECT_TRUE(store_->add_login(login("login_1", "user_1"), "hash").has_value());
  for (const auto& [id, hash] : {std::pair{"user_1", "an older hash"}, {"user_9", "hash"}}) {
    const auto refused = store_->add_login(login("login_2", id), hash);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kUnauthorized);
  }
  ASSERT_TRUE(store_->disable_user("user_1").has_value());
  EXPECT_FALSE(store_->add_login(login("login_3", "user_1"), "hash").has_value());
  EXPECT_TRUE(load().logins.empty());
}

TEST_P(IdentityStoreContract, RemovesLoginsByTheirIds) {
  for (const char* id : {"login_1", "login_2", "login_3"})
    ASSERT_TRUE(store_->add_login(login(id, "u"), "").has_value());
  const std::vector<std::string> gone{"login_1", "login_3", "login_9"};
  ASSERT_TRUE(store_->remove_logins(gone).has_value());
  ASSERT_EQ(load().logins.size(), 1u);
  EXPECT_EQ(load().logins[0].id, "login_2");
}

TEST_P(IdentityStoreContract, RemovesOldLogins) {
  LoginRecord old = login("login_1", "u"), unused = login("login_2", "u"), good = login("login_3", "u");
  old.created_at.ms -= 50;
  unused.used_at.ms -= 10;
  for (const auto& one : {old, unused, good}) ASSERT_TRUE(store_->add_login(one, "").has_value());
  ASSERT_TRUE(store_->remove_logins_older_than({{kNow.ms - 51}, {kNow.ms - 11}}).has_value());
  EXPECT_EQ(load().logins.size(), 3u);
  ASSERT_TRUE(store_->remove_logins_older_than({{kNow.ms - 50}, {kNow.ms - 10}}).has_value());
  ASSERT_EQ(load().logins.size(), 1u);
  EXPECT_EQ(load().logins[0].id, "login_3");
}

TEST_P(IdentityStoreContract, AKeyIsRevokedOnce) {
  ASSERT_TRUE(store_->add_key(key("key_1", "u")).has_value());
  ASSERT_TRUE(store_->revoke_key("key_1", kNow).has_value());
  ASSERT_TRUE(store_->revoke_key("key_1", WallTime{kNow.ms + 9}).has_value());
  EXPECT_EQ(load().keys[0].revoked_at, kNow);
}

TEST_P(IdentityStoreContract, TheTimeOfTheLastUseNeverGoesBack) {
  ASSERT_TRUE(store_->add_login(login("login_1", "u"), "").has_value());
  ASSERT_TRUE(store_->add_key(key("key_1", "u")).has_value());
  const WallTime later{kNow.ms + 1000}, before{kNow.ms - 1000};
  const std::vector<CredentialUse> uses{{"login_1", later}, {"key_1", later}, {"key_9", later}};
  ASSERT_TRUE(store_->note_uses(uses).has_value());
  const std::vector<CredentialUse> old{{"login_1", before}, {"key_1", before}};
  ASSERT_TRUE(store_->note_uses(old).has_value());
  EXPECT_EQ(load().logins[0].used_at, later);
  EXPECT_EQ(load().keys[0].used_at, later);
}

TEST_P(IdentityStoreContract, TwoOfThemSeeEachOthersWork) {
  auto command = place_->open();
  ASSERT_TRUE(command->add_user(user("user_1", "Ada")).has_value());
  EXPECT_EQ(load().users.size(), 1u);
  ASSERT_TRUE(store_->add_login(login("login_1", "user_1"), "").has_value());
  ASSERT_TRUE(command->disable_user("user_1").has_value());
  EXPECT_TRUE(load().logins.empty());
}

}  // namespace braidlog::testing
