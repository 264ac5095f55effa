// A data folder that is not as we left it: the store opens whole or not at all, says why in one line, and leaves
// every byte where it was.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "store/sqlite/schema.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class DamageTest : public testing::RunStoreFixture {
 protected:
  // A finished and an unfinished run, closed in good order.
  void SetUp() override {
    auto place = std::make_unique<SqlitePlace>();
    folder_ = place->folder();
    open_place(std::move(place));
    testing::LiveRunView over = begin_run(begin_session());
    for (int i = 0; i < 40; ++i) append_text(over, std::string(1'000, 'x'));
    end_run(over);
    over_ = over;
    live_ = begin_run(begin_session());
    append_text(live_);
    close();
    good_ = read_file(database());
    ASSERT_FALSE(fs::exists(log()));
  }
  void close() {
    reader_.reset();
    store_.reset();
  }
  fs::path database() const { return folder_ / "braidlog.db"; }
  fs::path log() const { return folder_ / "braidlog.db-wal"; }

  // The one line that the store refuses with; empty when it opened.
  std::string refusal() {
    const std::string before = read_file(database()), log_before = read_file(log());
    auto store = place_->open();
    if (store) return {};
    EXPECT_EQ(store.error().code, ErrorCode::kStorage);
    EXPECT_EQ(store.error().message.find('\n'), std::string::npos);
    EXPECT_EQ(store.error().message.find(folder_.string()), std::string::npos);
    EXPECT_EQ(read_file(database()), before);
    EXPECT_EQ(read_file(log()), log_before);
    return store.error().message;
  }
  bool opens_with_everything() {
    reopen();
    if (HasFatalFailure()) return false;
    const auto records = reader_->records(over_.id);
    const auto claimed = store_->claim_runs("after");
    return records && *records == over_.records && claimed && claimed->size() == 1 &&
           claimed->front().records == live_.records;
  }

  fs::path folder_;
  std::string good_;
  testing::LiveRunView over_, live_;
};

TEST_F(DamageTest, CutShort) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{99}, std::size_t{100}, std::size_t{512},
                                 std::size_t{4096}, good_.size() / 2, good_.size() - 4096, good_.size() - 1}) {
    write_file(database(), good_.substr(0, size));
    EXPECT_NE(refusal().find("cut short") != std::string::npos || refusal().find("size") != std::string::npos, false)
        << size;
  }
  write_file(database(), good_);
  EXPECT_TRUE(opens_with_everything());
}

TEST_F(DamageTest, CutToNothingBesideItsLog) {
  reopen();
  append_text(live_);
  TestFolder crashed;
  copy_database(folder_, crashed.path());
  close();
  copy_database(crashed.path(), folder_);
  write_file(database(), "");
  EXPECT_NE(refusal(), "");
  fs::remove(database());
  EXPECT_NE(refusal().find("write-ahead log"), std::string::npos);
  EXPECT_FALSE(fs::exists(database()));
}

TEST_F(DamageTest, AFlippedBitInTheTextOfAFinishedRun) {
  std::string bytes = good_;
  const std::size_t text = bytes.rfind("xxxxxxxxxxxxxxxx");
  ASSERT_NE(text, std::string::npos);
  bytes[text] = static_cast<char>(bytes[text] ^ 1);
  write_file(database(), bytes);
  reopen();
  const auto records = reader_->records(over_.id);
  ASSERT_FALSE(records) << "wrong text is worse than none";
  EXPECT_EQ(records.error().code, ErrorCode::kStorage);
  EXPECT_TRUE(store_->claim_runs("after")) << "the other runs go on";
}

TEST_F(DamageTest, NotADatabase) {
  write_file(database(), std::string(10'000, 'x'));
  EXPECT_NE(refusal().find("not a Braidlog database"), std::string::npos);
}

TEST_F(DamageTest, AnotherProgramsDatabase) {
  fs::remove(database());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_NE(refusal(), "");
}

TEST_F(DamageTest, EveryBitOfTheHeader) {
  int refused = 0;
  for (std::size_t bit = 0; bit < 800; ++bit) {
    std::string bytes = good_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    write_file(database(), bytes);
    if (!refusal().empty()) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(opens_with_everything()) << "byte " << bit / 8;
    close();
    fs::remove(log());
  }
  EXPECT_GT(refused, 500);
}

TEST_F(DamageTest, NewerSchema) {
  query_integer(folder_, ("PRAGMA user_version=" + std::to_string(current_schema_version() + 1)).c_str());
  good_ = read_file(database());
  EXPECT_NE(refusal().find("newer Braidlog"), std::string::npos);
}

TEST_F(DamageTest, NewerSchemaStillInTheLog) {
  reopen();
  query_integer(folder_, "PRAGMA user_version=99");
  TestFolder crashed;
  copy_database(folder_, crashed.path());
  close();
  copy_database(crashed.path(), folder_);
  ASSERT_TRUE(fs::exists(log()));
  EXPECT_NE(refusal().find("newer Braidlog"), std::string::npos);
}

TEST_F(DamageTest, TheJournalIsChecked) {
  for (const char* damage : {"UPDATE journal SET body = x'02'", "UPDATE journal SET body = x''", "DELETE FROM journal",
                             "DELETE FROM journal WHERE id = (SELECT max(id) - 1 FROM journal)"}) {
    query_integer(folder_, damage);
    EXPECT_NE(refusal().find("damaged"), std::string::npos) << damage;
    write_file(database(), good_);
  }
}

TEST_F(DamageTest, RecordsThatAreNoneAreNotClaimed) {
  // The last byte of the last row belongs to a record's text; its length byte is what breaks here.
  query_integer(folder_,
                "UPDATE journal SET body = substr(body, 1, 20) || x'00' || substr(body, 22)"
                " WHERE id = (SELECT max(id) FROM journal)");
  auto store = place_->open();
  ASSERT_TRUE(store) << store.error().message;
  const auto claimed = (*store)->claim_runs("after");
  expect_error(claimed, ErrorCode::kStorage);
}

TEST_F(DamageTest, AnEventThatCannotBeReadIsFoundBeforeTheClaimIsWritten) {
  // The byte behind the length of the last record is its type; there is no such type.
  query_integer(folder_,
                "UPDATE journal SET body = substr(body, 1, 21) || x'ff' || substr(body, 23)"
                " WHERE id = (SELECT max(id) FROM journal)");
  const std::string before = read_file(database());
  {
    auto store = place_->open();
    ASSERT_TRUE(store) << store.error().message;
    expect_error((*store)->claim_runs("after"), ErrorCode::kStorage);
  }
  EXPECT_EQ(read_file(database()), before);
}

TEST_F(DamageTest, AHalfMadeDatabaseIsMadeAgain) {
  fs::remove(database());
  write_file(folder_ / "braidlog.db.new", "half");
  reopen();
  EXPECT_EQ(reader_->sessions({"ann", 10, 0})->total, 0u);
  EXPECT_FALSE(fs::exists(folder_ / "braidlog.db.new"));
}

TEST_F(DamageTest, AFolderThatIsAFile) {
  const auto store = SqliteRunStore::open({.folder = database(), .durability = Durability::kNormal});
  expect_error(store, ErrorCode::kStorage);
}

}  // namespace
}  // namespace braidlog::store
