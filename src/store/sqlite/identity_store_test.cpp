// The contract of the port on SQLite, and what is SQLite's own: a busy writer beside it, other schemas, damage.
#include "store/sqlite/identity_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "port/testing/identity_store_contract.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/writer_rests.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

class SqliteIdentityPlace final : public testing::IdentityPlace {
 public:
  static std::unique_ptr<testing::IdentityPlace> make() { return std::make_unique<SqliteIdentityPlace>(); }

  SqliteIdentityPlace() {
    auto folder = DataFolder::open(folder_.path());
    EXPECT_TRUE(folder.has_value());
    path_ = folder->database_path();
    const auto ready = SqliteIdentityStore::make_ready(*folder);
    EXPECT_TRUE(ready.has_value()) << ready.error().message;
  }
  std::unique_ptr<IdentityStore> open() override {
    auto store = SqliteIdentityStore::open(path_);
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  const std::string& path() const { return path_; }

 private:
  TestFolder folder_;
  std::string path_;
};

class IdentityStoreTest : public testing::IdentityStoreFixture {
 protected:
  void SetUp() override {
    auto place = std::make_unique<SqliteIdentityPlace>();
    path_ = place->path();
    folder_ = place->folder();
    use(std::move(place));
  }
  std::string path_;
  std::filesystem::path folder_;
};

// The server's writer rests only as long as it has to while a hundred runs stream.
TEST_F(IdentityStoreTest, GetsItsTurnBesideABusyWriter) {
  std::atomic<bool> stop{false};
  std::latch begun(1);
  std::thread busy([&] {
    auto database = Database::open(path_, Database::Access::kWrite);
    EXPECT_TRUE(database.has_value());
    begun.count_down();
    WriterRests rests;
    while (!stop) {
      rests.before_work();
      Transaction transaction(**database);
      ASSERT_TRUE(transaction.begin(Transaction::Kind::kWrite).has_value());
      ::usleep(1'000);
      ASSERT_TRUE(transaction.commit().has_value());
      rests.after_work();
    }
  });
  begun.wait();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(store_->add_login(login("login_" + std::to_string(i), "u"), "").has_value());
  }
  stop = true;
  busy.join();
  EXPECT_EQ(load().logins.size(), 20u);
}

TEST_F(IdentityStoreTest, AnotherSchemaIsRefused) {
  store_.reset();
  query_integer(folder_, ("PRAGMA user_version=" + std::to_string(current_schema_version() - 1)).c_str());
  const auto store = SqliteIdentityStore::open(path_);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kStorage);
  EXPECT_NE(store.error().message.find("another version"), std::string::npos);
}

TEST_F(IdentityStoreTest, ADatabaseOfNothingIsNotBegunAnew) {
  store_.reset();
  std::filesystem::resize_file(path_, 0);
  auto folder = DataFolder::open(folder_);
  ASSERT_TRUE(folder.has_value());
  EXPECT_FALSE(SqliteIdentityStore::make_ready(*folder).has_value());
  EXPECT_EQ(std::filesystem::file_size(path_), 0u);
}

}  // namespace
}  // namespace braidlog::store

namespace braidlog::testing {
INSTANTIATE_TEST_SUITE_P(Sqlite, IdentityStoreContract, ::testing::Values(&store::SqliteIdentityPlace::make));
}  // namespace braidlog::testing
