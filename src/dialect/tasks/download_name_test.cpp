#include "dialect/tasks/download_name.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace braidlog::tasks {
namespace {

std::string file_of(std::string_view name) {
  return download_name(name).file;
}

TEST(DownloadName, ATitleIsMarkdown) {
  EXPECT_EQ(file_of("Competitor Analysis"), "Competitor Analysis.md");
  EXPECT_EQ(file_of("Preise für März"), "Preise für März.md");
  EXPECT_EQ(file_of("Report v1.2"), "Report v1.2.md");
  EXPECT_EQ(file_of("What now? It ends."), "What now_ It ends.md");
  EXPECT_EQ(download_name("Plan").media_type, "text/markdown; charset=utf-8");
}

TEST(DownloadName, AnEndingThatIsTextStays) {
  EXPECT_EQ(file_of("notes.md"), "notes.md");
  EXPECT_EQ(download_name("notes.MD").media_type, "text/markdown; charset=utf-8");
  for (const char* name : {"a.txt", "prices.csv", "x.json", "run.log"}) {
    EXPECT_EQ(file_of(name), name);
    EXPECT_EQ(download_name(name).media_type, "text/plain; charset=utf-8");
  }
}

TEST(DownloadName, NothingThatADoubleClickWouldRun) {
  for (const char* name : {"index.html", "a.svg", "run.sh", "x.EXE", "a.tar.gz", "b.h2"}) {
    EXPECT_EQ(file_of(name), std::string(name) + ".txt");
    EXPECT_EQ(download_name(name).media_type, "text/plain; charset=utf-8");
  }
}

TEST(DownloadName, NeverAPath) {
  EXPECT_EQ(file_of("../../etc/passwd"), "_.._etc_passwd.md");
  EXPECT_EQ(file_of("C:\\Windows\\x"), "C__Windows_x.md");
  EXPECT_EQ(file_of(".bashrc"), "bashrc.md");
  EXPECT_EQ(file_of("a\nb\tc\x7f"), "a_b_c_.md");
  for (const char* empty : {"", " ", "...", " . "}) EXPECT_EQ(file_of(empty), "artifact.md") << empty;
}

TEST(DownloadName, LongNamesAreCutBetweenCharacters) {
  EXPECT_EQ(file_of(std::string(500, 'x')), std::string(120, 'x') + ".md");
  EXPECT_EQ(file_of(std::string(500, 'x') + ".csv"), std::string(120, 'x') + ".csv");
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  EXPECT_TRUE(is_valid_utf8(file_of("a" + umlauts)));
}

TEST(DownloadName, IsAlwaysOnePartOfAPath) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto name = download_name(to_valid_utf8(bytes));
    RC_ASSERT(!name.file.empty() && name.file.size() <= 140 && is_valid_utf8(name.file));
    RC_ASSERT(name.file.find_first_of(std::string_view("/\\:*?\"<>|\r\n\0", 13)) == std::string::npos);
    RC_ASSERT(name.file.front() != '.' && name.file.front() != ' ');
    RC_ASSERT(name.media_type.starts_with("text/") && name.media_type.ends_with("; charset=utf-8"));
  }));
}

}  // namespace
}  // namespace braidlog::tasks
