#include "dialect/files/zip_directory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace braidlog::files {
namespace {

using namespace std::string_literals;

std::string little(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> 8 * i & 0xff);
  return out;
}

std::string entry(const std::string& name, std::uint64_t bytes, const std::string& extra = "") {
  return "PK\1\2" + std::string(20, '\0') + little(bytes, 4) + little(name.size(), 2) + little(extra.size(), 2) +
         std::string(14, '\0') + name + extra;
}
std::string end(std::uint64_t directory_bytes, const std::string& comment = "") {
  return "PK\5\6" + std::string(8, '\0') + little(directory_bytes, 4) + little(0, 4) + little(comment.size(), 2) +
         comment;
}

TEST(ZipDirectory, NamesAndSizes) {
  const std::string directory = entry("a.xml", 7) + entry("", 0) + entry("b\xff", 5);
  const auto found = read_zip_directory("PK\3\4 anything" + directory + end(directory.size(), "a comment"));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->entries.size(), 3u);
  EXPECT_EQ(found->entries[0].name, "a.xml");
  EXPECT_EQ(found->entries[0].unpacked_bytes, 7u);
  EXPECT_EQ(found->entries[2].name, "b\xff");
  EXPECT_EQ(found->unpacked_bytes, 12u);
  EXPECT_FALSE(found->has_more);
}

TEST(ZipDirectory, AnEmptyArchive) {
  EXPECT_TRUE(read_zip_directory(end(0))->entries.empty());
}

TEST(ZipDirectory, WhatIsNone) {
  const std::string directory = entry("a.xml", 7);
  const std::string good = directory + end(directory.size());
  ASSERT_TRUE(read_zip_directory(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read_zip_directory(good.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_zip_directory(directory + end(directory.size() + 1))) << "begins before the archive";
  EXPECT_FALSE(read_zip_directory(directory + end(directory.size() - 1))) << "begins within an entry";
  EXPECT_FALSE(read_zip_directory(directory + end(0xffffffff)));
  EXPECT_FALSE(read_zip_directory(good + std::string(70'000, ' '))) << "no comment is that long";
}

TEST(ZipDirectory, LongNumbers) {
  const std::string other = little(9, 2) + little(2, 2) + "xy";
  const std::string extra = other + little(1, 2) + little(8, 2) + little(std::uint64_t{1} << 40, 8);
  const std::string directory = entry("a", 0xffffffff, extra) + entry("b", 0xffffffff);
  const std::string end64 = "PK\6\6" + std::string(36, '\0') + little(directory.size(), 8) + std::string(8, '\0');
  const std::string locator = "PK\6\7" + std::string(16, '\0');
  const auto found = read_zip_directory("before" + directory + end64 + locator + end(0xffffffff));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->entries.at(0).unpacked_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(found->entries.at(1).unpacked_bytes, 0xffffffffu) << "nowhere else: at least that";

  std::string most = entry("a", 0xffffffff, little(1, 2) + little(8, 2) + little(~std::uint64_t{0}, 8));
  most += most;
  EXPECT_EQ(read_zip_directory(most + end(most.size()))->unpacked_bytes, std::numeric_limits<std::uint64_t>::max());
}

TEST(ZipDirectory, TooManyEntries) {
  std::string directory;
  for (std::size_t i = 0; i <= kZipEntriesMax; ++i) directory += entry("a", 1);
  const auto found = read_zip_directory(directory + end(directory.size()));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->has_more);
  EXPECT_EQ(found->entries.size(), kZipEntriesMax);
}

}  // namespace
}  // namespace braidlog::files
