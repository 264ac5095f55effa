#include "store/sqlite/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace braidlog::store {
namespace {

struct OwnedEntry {
  RunId run_id;
  Sequence first;
  std::uint64_t count = 0;
  std::string records;
  bool operator==(const OwnedEntry&) const = default;
};

Result<std::vector<OwnedEntry>> read_row(std::string_view row) {
  std::vector<OwnedEntry> entries;
  auto status = read_journal_row(row, [&](const JournalEntry& entry) -> Status {
    entries.push_back({entry.run_id, entry.first, entry.count, std::string(entry.records)});
    return {};
  });
  if (!status) return fail(status.error());
  return entries;
}

RunId run_number(std::uint8_t number) {
  RunId id;
  id.value.bytes.fill(number);
  return id;
}

TEST(JournalRow, IsTheExampleOfTheReadme) {
  std::string row;
  append_journal_entry(row, {.run_id = run_number(0xaa), .first = {300}, .count = 2, .records = "abcd"});
  append_journal_entry(row, {.run_id = run_number(0xbb), .first = {1}, .count = 1, .records = "e"});
  EXPECT_EQ(row, "\x01" + std::string(16, '\xaa') + "\xac\x02\x02\x04" + "abcd" + std::string(16, '\xbb') +
                     "\x01\x01\x01" + "e");
}

TEST(JournalRow, AnyEntriesReadBack) {
  EXPECT_TRUE(rc::check([](const std::vector<std::tuple<std::uint8_t, std::uint64_t, std::uint64_t, std::string>>& in) {
    RC_PRE(!in.empty());
    std::string row;
    std::vector<OwnedEntry> expected;
    for (const auto& [run, first, count, records] : in) {
      expected.push_back({run_number(run), {first}, count, records});
      append_journal_entry(row, {run_number(run), {first}, count, records});
    }
    const auto read = read_row(row);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == expected);
  }));
}

TEST(JournalRow, ACutRowIsDamage) {
  std::string row;
  append_journal_entry(row, {.run_id = run_number(1), .first = {300}, .count = 2, .records = "abcd"});
  for (std::size_t size = 2; size < row.size(); ++size) {
    const auto read = read_row(std::string_view(row).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kStorage);
  }
  EXPECT_FALSE(read_row(""));
  EXPECT_FALSE(read_row("\x02"));
}

TEST(JournalRow, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    (void)read_row(bytes);
    (void)read_row("\x01" + std::string(16, 'x') + bytes);
  }));
}

}  // namespace
}  // namespace braidlog::store
