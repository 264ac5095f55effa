// Everything at once on real threads: requests are named while people log in and out and commands change users. What
// must hold at the end is simple; the point is that a sanitizer of threads finds nothing on the way.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <thread>

#include "auth/identities.h"
#include "auth/secret.h"
#include "net/io_thread.h"
#include "net/worker_pool.h"
#include "port/testing/memory_identity_store.h"

namespace braidlog::auth {
namespace {

std::string cheap_hash(std::string_view password) {
  std::array<char, crypto_pwhash_STRBYTES> text{};
  EXPECT_GE(sodium_init(), 0);
  EXPECT_EQ(crypto_pwhash_str(text.data(), password.data(), password.size(), crypto_pwhash_OPSLIMIT_MIN,
                              crypto_pwhash_MEMLIMIT_MIN),
            0);
  return text.data();
}

class IdentitiesThreadsTest : public ::testing::Test {
 protected:
  IdentitiesThreadsTest() {
    records_.users = {{.id = "user_1", .name = "ada", .password_hash = cheap_hash("secret")}};
    key_ = make_key();
    records_.keys = {
        {.id = "key_1", .user_id = "user_1", .key_hash = hash_of(key_).text(), .label = {}, .created_at = {}}};
    identities_.when_ended([this](const std::string&) { ++ended_; });
    EXPECT_TRUE(identities_.reload().has_value());
    loop_.start();
  }
  ~IdentitiesThreadsTest() override {
    loop_.stop();
    loop_.join();
    pool_.reset();  // as the server does: what it still runs belongs to identities_
  }

  // From another thread than the loop's.
  template <class T, class Call>
  Result<T> wait_for(Call call) {
    std::latch done(1);
    Result<T> result = fail(ErrorCode::kInternal, "no reply");
    loop_.post([&] {
      call([&](Result<T> reply) {
        result = std::move(reply);
        done.count_down();
      });
    });
    done.wait();
    return result;
  }
  Result<api::LoggedIn> log_in() {
    return wait_for<api::LoggedIn>([&](api::Reply<api::LoggedIn> reply) {
      identities_.log_in({"ada", "secret", "192.0.2.1"}, loop_, std::move(reply));
    });
  }
  Result<api::Caller> who(const std::string& token) {
    const std::string cookie = "session=" + token;
    return identities_.authenticate({std::nullopt, cookie});
  }

  SystemClock clock_;
  IdentityRecords records_;
  testing::MemoryIdentityStore store_{records_};
  IoThread loop_{0, clock_};
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(4);
  Identities identities_{store_, *pool_, clock_, Limits{}, false};
  std::string key_;
  std::atomic<int> ended_{0};
};

TEST_F(IdentitiesThreadsTest, EverythingAtOnce) {
  constexpr int kPeople = 4, kRounds = 25;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kPeople; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const auto logged_in = log_in();
        ASSERT_TRUE(logged_in.has_value()) << logged_in.error().message;
        const auto caller = who(logged_in->token);
        ASSERT_TRUE(caller.has_value());
        const auto out = wait_for<api::LoggedOut>([&](api::Reply<api::LoggedOut> reply) {
          identities_.log_out(caller->credential, loop_, std::move(reply));
        });
        EXPECT_TRUE(out.has_value());
        EXPECT_FALSE(who(logged_in->token).has_value());
        EXPECT_FALSE(identities_.is_still_good(*caller));
      }
    });
  }
  std::thread requests([&] {
    const std::string header = "Bearer " + key_;
    while (!stop) EXPECT_TRUE(identities_.authenticate({header, {}}).has_value());
  });
  std::thread changes([&] {
    while (!stop) {
      EXPECT_TRUE(identities_.reload().has_value());
      EXPECT_TRUE(identities_.write_down().has_value());
      identities_.end_expired();
    }
  });
  for (auto& thread : threads) thread.join();
  stop = true;
  requests.join();
  changes.join();
  EXPECT_EQ(ended_, kPeople * kRounds);
  EXPECT_TRUE(records_.logins.empty());
}

}  // namespace
}  // namespace braidlog::auth
