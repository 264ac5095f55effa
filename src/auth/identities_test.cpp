#include "auth/identities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>

#include "auth/secret.h"
#include "base/testing/fake_loop.h"
#include "port/testing/memory_identity_store.h"

namespace braidlog::auth {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr hours kDay{24};

class IdentitiesTest : public ::testing::Test {
 protected:
  // The cheapest that there is, so that the tests are fast.
  static const std::string& hash() {
    static const std::string made = [] {
      std::array<char, crypto_pwhash_STRBYTES> text{};
      EXPECT_EQ(sodium_init() < 0, false);
      EXPECT_EQ(crypto_pwhash_str(text.data(), "secret", 6, crypto_pwhash_OPSLIMIT_MIN, crypto_pwhash_MEMLIMIT_MIN), 0);
      return std::string(text.data());
    }();
    return made;
  }
  void SetUp() override {
    records_.users = {{.id = "user_1", .name = "Ada", .password_hash = hash(), .created_at = clock_.wall()},
                      {.id = "user_2", .name = "root", .password_hash = hash(), .is_admin = true}};
    start();
  }
  void start(bool dev = false, const Limits& limits = {}) {
    identities_ = std::make_unique<Identities>(store_, pool_, clock_, limits, dev);
    identities_->when_ended([this](const std::string& credential) { ended_.push_back(credential); });
    ASSERT_TRUE(identities_->reload().has_value());
  }

  std::string add_key(const std::string& id, const std::string& user_id, std::optional<WallTime> expires_at = {}) {
    const std::string key = make_key();
    EXPECT_TRUE(store_
                    .add_key({.id = id,
                              .user_id = user_id,
                              .key_hash = hash_of(key).text(),
                              .label = {},
                              .created_at = clock_.wall(),
                              .expires_at = expires_at})
                    .has_value());
    EXPECT_TRUE(identities_->reload().has_value());
    return key;
  }
  Result<api::LoggedIn> log_in(const std::string& name, const std::string& password,
                               const std::string& address = "192.0.2.1") {
    Result<api::LoggedIn> result = fail(ErrorCode::kInternal, "no reply");
    identities_->log_in({name, password, address}, loop_,
                        [&](Result<api::LoggedIn> reply) { result = std::move(reply); });
    loop_.run_ready();
    return result;
  }
  std::string token_of(const std::string& name) {
    auto logged_in = log_in(name, name == "demo" ? "demo" : "secret");
    EXPECT_TRUE(logged_in.has_value());
    return logged_in ? logged_in->token : "";
  }
  // The user's id, or "none".
  std::string who(std::optional<std::string> authorization, std::string cookie = "", bool is_secure = false) {
    const auto caller = identities_->authenticate(
        {authorization ? std::optional<std::string_view>(*authorization) : std::nullopt, cookie, is_secure});
    if (!caller) {
      EXPECT_EQ(caller.error().code, ErrorCode::kUnauthorized);
      return "none";
    }
    return caller->user_id;
  }
  std::string cookie_id(const std::string& token) {
    const std::string cookie = "session=" + token;
    const auto caller = identities_->authenticate({std::nullopt, cookie});
    return caller ? caller->credential : "none";
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  testing::InlinePool pool_;
  IdentityRecords records_;
  testing::MemoryIdentityStore store_{records_};
  std::vector<std::string> ended_;
  std::unique_ptr<Identities> identities_;
};

// ---- keys ----

TEST_F(IdentitiesTest, AKeyNamesItsUser) {
  const auto key = add_key("key_1", "user_2");
  const std::string header = "Bearer " + key;
  const auto caller = identities_->authenticate({header, {}});
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->user_id, "user_2");
  EXPECT_EQ(caller->username, "root");
  EXPECT_TRUE(caller->is_admin);
  EXPECT_EQ(caller->kind, api::CredentialKind::kKey);
  EXPECT_EQ(caller->credential, "key_1");
}

TEST_F(IdentitiesTest, OnlyABearerWithAGoodKeyIsOne) {
  const auto key = add_key("key_1", "user_1");
  for (const auto& good : {"Bearer " + key, "bearer " + key, "BEARER  " + key}) EXPECT_EQ(who(good), "user_1") << good;
  const std::string cookie = "session=" + token_of("Ada");
  for (const auto& bad :
       {std::string(), std::string("Bearer"), std::string("Bearer "), key, "Basic " + key, "Bearer " + key + "x",
        "Bearer " + key + ", Bearer " + key, "Bearer " + make_key(), "Bearer \"" + key + "\"", "Bearer\t" + key}) {
    EXPECT_EQ(who(bad), "none") << bad;
    EXPECT_EQ(who(bad, cookie), "none") << "beside a good cookie too: " << bad;
  }
  EXPECT_EQ(who(std::nullopt, cookie), "user_1");
}

TEST_F(IdentitiesTest, TheKeyCountsBeforeTheCookie) {
  const auto key = add_key("key_1", "user_2");
  EXPECT_EQ(who("Bearer " + key, "session=" + token_of("Ada")), "user_2");
}

TEST_F(IdentitiesTest, ATokenIsNoKeyAndAKeyNoToken) {
  const auto key = add_key("key_1", "user_1");
  const auto token = token_of("Ada");
  EXPECT_EQ(who("Bearer " + token), "none");
  EXPECT_EQ(who(std::nullopt, "session=" + key), "none");
}

TEST_F(IdentitiesTest, AKeyEndsAtItsTimeAndSoDoItsStreams) {
  const auto key = add_key("key_1", "user_1", WallTime{clock_.wall().ms + 1000});
  identities_->end_expired();
  EXPECT_THAT(ended_, IsEmpty());
  clock_.advance(milliseconds(999));
  EXPECT_EQ(who("Bearer " + key), "user_1");
  clock_.advance(milliseconds(1));
  EXPECT_EQ(who("Bearer " + key), "none");
  identities_->end_expired();
  identities_->end_expired();
  EXPECT_THAT(ended_, ElementsAre("key_1"));
}

TEST_F(IdentitiesTest, ARevokedKeyIsGoneWithTheReload) {
  const auto key = add_key("key_1", "user_1"), other = add_key("key_2", "user_1");
  ASSERT_TRUE(store_.revoke_key("key_1", clock_.wall()).has_value());
  ASSERT_TRUE(identities_->reload().has_value());
  EXPECT_EQ(who("Bearer " + key), "none");
  EXPECT_EQ(who("Bearer " + other), "user_1");
  EXPECT_THAT(ended_, ElementsAre("key_1"));
}

// ---- cookies ----

TEST_F(IdentitiesTest, LoggingInGivesACookie) {
  const auto logged_in = log_in("aDA", "secret");
  ASSERT_TRUE(logged_in.has_value()) << logged_in.error().message;
  EXPECT_EQ(logged_in->me.user_id, "user_1");
  EXPECT_EQ(logged_in->me.username, "Ada");
  EXPECT_EQ(logged_in->lifetime, 30 * kDay);
  ASSERT_EQ(records_.logins.size(), 1u);
  EXPECT_EQ(records_.logins[0].token_hash, hash_of(logged_in->token).text());
  const std::string cookie = "session=" + logged_in->token;
  const auto caller = identities_->authenticate({std::nullopt, cookie});
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->user_id, "user_1");
  EXPECT_EQ(caller->kind, api::CredentialKind::kCookie);
  EXPECT_EQ(caller->credential, records_.logins[0].id);
  EXPECT_FALSE(caller->is_admin);
}

TEST_F(IdentitiesTest, ABadCookieCountsAsNoneAndAnyGoodOneCounts) {
  const auto token = token_of("Ada");
  const std::string forged = make_token();
  EXPECT_EQ(who(std::nullopt, "session=" + forged), "none");
  EXPECT_EQ(who(std::nullopt, "session=x; a=b; session=" + forged + "; session=" + token), "user_1");
  std::string many;
  for (int i = 0; i < 9; ++i) many += "session=" + make_token() + "; ";
  EXPECT_EQ(who(std::nullopt, many + "session=" + token), "none") << "a request is not searched for ever";
}

TEST_F(IdentitiesTest, OverTlsOnlyTheHostCookieCounts) {
  const auto token = token_of("Ada");
  EXPECT_EQ(who(std::nullopt, "__Host-session=" + token, true), "user_1");
  EXPECT_EQ(who(std::nullopt, "session=" + token, true), "none");
  EXPECT_EQ(who(std::nullopt, "__Host-session=" + token, false), "user_1");
}

TEST_F(IdentitiesTest, EveryWrongLoginLooksTheSame) {
  records_.users[1].is_disabled = true;
  start();
  for (const auto& [name, password] :
       {std::pair{"Ada", "wrong"}, {"nobody", "secret"}, {"root", "secret"}, {"demo", "demo"}, {"", ""}}) {
    const auto refused = log_in(name, password);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kUnauthorized);
    EXPECT_EQ(refused.error().message, "Wrong user name or password");
  }
  EXPECT_THAT(records_.logins, IsEmpty());
}

TEST_F(IdentitiesTest, TooManyWrongPasswordsAreRefusedUnseen) {
  Limits limits;
  limits.login_failures_per_name_max = 2;
  start(false, limits);
  EXPECT_EQ(log_in("Ada", "wrong").error().code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(log_in("Ada", "secret").has_value()) << "and clears the count";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(log_in("ada", "wrong").error().code, ErrorCode::kUnauthorized);
  const auto refused = log_in("Ada", "secret", "192.0.2.9");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().subject, "150");
  loop_.advance(seconds(150));
  EXPECT_TRUE(log_in("Ada", "secret").has_value());
}

TEST_F(IdentitiesTest, AStoreThatFailsIsNotTheClientsFault) {
  Limits limits;
  limits.login_failures_per_name_max = 2;
  start(false, limits);
  store_.is_broken = true;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(log_in("Ada", "secret").error().code, ErrorCode::kStorage);
  store_.is_broken = false;
  EXPECT_TRUE(log_in("Ada", "secret").has_value());
}

// ---- the end of a cookie ----

TEST_F(IdentitiesTest, LoggingOutEndsThisCookieAlone) {
  const auto first = token_of("Ada"), second = token_of("Ada");
  const auto id = cookie_id(first);
  const api::Caller caller{.user_id = "user_1", .kind = api::CredentialKind::kCookie, .credential = id};
  EXPECT_TRUE(identities_->is_still_good(caller));
  bool replied = false;
  identities_->log_out(id, loop_, [&](Result<api::LoggedOut> reply) {
    EXPECT_TRUE(reply.has_value());
    EXPECT_THAT(ended_, ElementsAre(id)) << "streams end before the answer";
    replied = true;
  });
  loop_.run_ready();
  EXPECT_TRUE(replied);
  EXPECT_FALSE(identities_->is_still_good(caller)) << "nor for a request that is under way";
  EXPECT_EQ(who(std::nullopt, "session=" + first), "none");
  EXPECT_EQ(who(std::nullopt, "session=" + second), "user_1");
  EXPECT_EQ(records_.logins.size(), 1u);
  start();
  EXPECT_EQ(who(std::nullopt, "session=" + first), "none") << "also after a restart";
}

TEST_F(IdentitiesTest, ALogoutThatCannotBeKeptIsAnError) {
  const auto token = token_of("Ada");
  store_.is_broken = true;
  ErrorCode code = ErrorCode::kInternal;
  identities_->log_out(cookie_id(token), loop_, [&](Result<api::LoggedOut> reply) { code = reply.error().code; });
  loop_.run_ready();
  EXPECT_EQ(code, ErrorCode::kStorage);
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(IdentitiesTest, ACookieEndsWhenItIsNotUsed) {
  const auto used = token_of("Ada"), unused = token_of("Ada");
  const auto unused_id = cookie_id(unused);
  for (int day = 0; day < 4; ++day) {
    clock_.advance(2 * kDay);
    EXPECT_EQ(who(std::nullopt, "session=" + used), "user_1") << day;
    identities_->end_expired();
  }
  EXPECT_EQ(who(std::nullopt, "session=" + unused), "none");
  EXPECT_THAT(ended_, ElementsAre(unused_id));
  ASSERT_TRUE(identities_->write_down().has_value());
  ASSERT_EQ(records_.logins.size(), 1u) << "it leaves the store too";
  EXPECT_EQ(records_.logins[0].used_at, clock_.wall());
}

TEST_F(IdentitiesTest, ACookieEndsAfterThirtyDaysHoweverMuchItIsUsed) {
  const auto token = token_of("Ada");
  for (int day = 0; day < 29; ++day) {
    clock_.advance(kDay);
    EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1") << day;
  }
  clock_.advance(kDay);
  EXPECT_EQ(who(std::nullopt, "session=" + token), "none");
  start();
  EXPECT_EQ(who(std::nullopt, "session=" + token), "none");
}

TEST_F(IdentitiesTest, UsesSurviveARestart) {
  const auto token = token_of("Ada");
  const auto key = add_key("key_1", "user_1");
  clock_.advance(6 * kDay);
  EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1");
  EXPECT_EQ(who("Bearer " + key), "user_1");
  EXPECT_FALSE(records_.keys[0].used_at);
  ASSERT_TRUE(identities_->write_down().has_value());
  EXPECT_EQ(records_.keys[0].used_at, clock_.wall());
  clock_.advance(6 * kDay);
  start();
  EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1");
}

TEST_F(IdentitiesTest, AReloadForgetsNoUse) {
  const auto token = token_of("Ada");
  clock_.advance(6 * kDay);
  EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1");
  ASSERT_TRUE(identities_->reload().has_value());
  EXPECT_EQ(records_.logins[0].used_at, clock_.wall());
  clock_.advance(6 * kDay);
  EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1");
}

TEST_F(IdentitiesTest, ADisabledUserIsNobody) {
  const auto key = add_key("key_1", "user_1");
  const auto token = token_of("Ada");
  const auto id = cookie_id(token);
  ASSERT_TRUE(store_.disable_user("user_1").has_value());
  ASSERT_TRUE(identities_->reload().has_value());
  EXPECT_EQ(who("Bearer " + key), "none");
  EXPECT_EQ(who(std::nullopt, "session=" + token), "none");
  EXPECT_THAT(ended_, UnorderedElementsAre("key_1", id));
  EXPECT_FALSE(log_in("Ada", "secret").has_value());
  ASSERT_TRUE(store_.enable_user("user_1").has_value());
  ASSERT_TRUE(identities_->reload().has_value());
  EXPECT_EQ(who("Bearer " + key), "user_1");
  EXPECT_EQ(who(std::nullopt, "session=" + token), "none") << "cookies do not come back";
}

// A command changes the password between the check and the cookie.
TEST_F(IdentitiesTest, AnOldPasswordGivesNoCookieAfterANewOne) {
  records_.users[0].password_hash = "$argon2id$another";
  const auto refused = log_in("Ada", "secret");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthorized);
  EXPECT_THAT(records_.logins, IsEmpty());
}

TEST_F(IdentitiesTest, TheOldestCookieGoesWhenThereAreTooMany) {
  Limits limits;
  limits.cookies_per_user_max = 2;
  start(false, limits);
  const auto first = token_of("Ada");
  clock_.advance(seconds(1));
  const auto second = token_of("Ada");
  const auto second_id = cookie_id(second), others = token_of("root");
  clock_.advance(seconds(1));
  EXPECT_EQ(who(std::nullopt, "session=" + first), "user_1");
  clock_.advance(seconds(1));
  const auto third = token_of("Ada");
  EXPECT_EQ(who(std::nullopt, "session=" + second), "none") << "unused for longest";
  for (const auto& token : {first, third}) EXPECT_EQ(who(std::nullopt, "session=" + token), "user_1");
  EXPECT_EQ(who(std::nullopt, "session=" + others), "user_2");
  EXPECT_THAT(ended_, ElementsAre(second_id));
  EXPECT_EQ(records_.logins.size(), 3u);
}

// ---- --dev ----

TEST_F(IdentitiesTest, InDevWhoShowsNothingIsDemo) {
  start(true);
  const auto caller = identities_->authenticate({});
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->user_id, "demo");
  EXPECT_EQ(caller->username, "demo");
  EXPECT_TRUE(caller->is_admin);
  EXPECT_EQ(caller->kind, api::CredentialKind::kNone);
  EXPECT_EQ(who(std::nullopt, "session=" + make_token()), "demo");
  EXPECT_EQ(who("Bearer " + make_key()), "none") << "a bad key is a bad key";
  EXPECT_EQ(who(std::nullopt, "session=" + token_of("Ada")), "user_1");
}

TEST_F(IdentitiesTest, DemosCookieIsWorthNothingWithoutDev) {
  start(true);
  EXPECT_EQ(log_in("demo", "wrong").error().code, ErrorCode::kUnauthorized);
  const auto token = token_of("demo");
  const std::string cookie = "session=" + token;
  const auto caller = identities_->authenticate({std::nullopt, cookie});
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->kind, api::CredentialKind::kCookie);
  EXPECT_TRUE(caller->is_admin);
  start(true);
  EXPECT_EQ(cookie_id(token), records_.logins[0].id) << "a restart keeps it";
  start(false);
  EXPECT_EQ(who(std::nullopt, "session=" + token), "none");
  EXPECT_FALSE(log_in("demo", "demo").has_value());
}

}  // namespace
}  // namespace braidlog::auth
