// Fault 19: files that are made to hurt who reads them, and what is left when the reading ends early. Every one of them
// is refused in words, within its time and its memory.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "sandbox/testing/file_extractor.h"
#include "sandbox/testing/process_tree.h"

namespace braidlog::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using testing::children_of;
using testing::eventually;
using testing::ExtractorTest;
using ::testing::HasSubstr;
using testing::kDocx;
using testing::kPdf;
using testing::kXlsx;
using testing::made_file;

class HostileFilesTest : public ExtractorTest {
 protected:
  // The processes that this process has started and not reaped.
  static bool nobody_is_left() {
    return eventually([] { return children_of(::getpid()).empty(); });
  }
};

TEST_F(HostileFilesTest, BrokenFiles) {
  EXPECT_EQ(refused("%PDF-1.7 and nothing else", kPdf), "is not a PDF that can be read");
  EXPECT_EQ(refused(made_file("broken_docx"), kDocx), "is not a Word document that can be read");
  EXPECT_EQ(refused(made_file("docx"), kXlsx), "is not an Excel workbook that can be read");
  EXPECT_EQ(refused("PK\3\4 no archive", kDocx), "is not a Word document that can be read");
  EXPECT_EQ(refused(made_file("invoice_png").substr(0, 40), "image/png"), "is not a PNG image that can be read");
  EXPECT_EQ(refused("GIF89a", "image/gif"), "is not a GIF image that can be read");
  EXPECT_EQ(refused(std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10), "image/jpeg"),
            "is not a JPEG image that can be read");
  EXPECT_EQ(refused("RIFF....WEBPVP8 ", "image/webp"), "is not a WebP image that can be read");
}

TEST_F(HostileFilesTest, APasswordIsNotAsked) {
  EXPECT_EQ(refused(made_file("encrypted_pdf"), kPdf), "is protected by a password");
}

TEST_F(HostileFilesTest, ArchivesThatUnpackToTooMuch) {
  EXPECT_EQ(refused(made_file("zip_bomb"), kDocx), "unpacks to more than 200 MiB");
  EXPECT_EQ(refused(made_file("overlapping_zip"), kDocx), "unpacks to more than 200 MiB");
  EXPECT_EQ(refused(made_file("lying_zip_bomb"), kDocx), "is not a Word document that can be read");
  EXPECT_EQ(refused(made_file("many_parts_docx"), kDocx), "has too many parts to be read");
  EXPECT_THAT(read(made_file("nested_zip"), kDocx).text, HasSubstr("Skagen")) << "nobody looks into inner archives";
}

TEST_F(HostileFilesTest, XmlThatIsMadeToHurt) {
  EXPECT_EQ(refused(made_file("laughing_docx"), kDocx), "is not a Word document that can be read");
  EXPECT_EQ(refused(made_file("deep_docx"), kDocx), "is nested too deep to be read");
}

TEST_F(HostileFilesTest, ImagesThatClaimToBeHuge) {
  for (const std::string kind : {"png", "jpeg", "gif", "webp"}) {
    EXPECT_EQ(refused(made_file("huge_" + kind), "image/" + kind), "has more than 50 million pixels") << kind;
  }
  limits.extraction_pixels_max = 1'234'567;
  EXPECT_EQ(refused(made_file("huge_png"), "image/png"), "has more than 1234567 pixels");
}

TEST_F(HostileFilesTest, PdfsThatHaveNoEnd) {
  limits.extraction_time_max = 3'000ms;
  const auto begin = std::chrono::steady_clock::now();
  for (const char* name : {"looping_pdf", "million_pages_pdf", "wide_pdf"}) {
    EXPECT_THAT(refused(made_file(name), kPdf),
                AnyOf("is not a PDF that can be read", "took longer than 3 s to be read",
                      "needs more than 512 MiB of memory to be read"))
        << name;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 25s);
}

TEST_F(HostileFilesTest, MemoryIsLimited) {
  limits.extraction_memory_bytes_max = 64 << 20;
  EXPECT_EQ(refused(made_file("invoice_png"), "image/png"), "needs more than 64 MiB of memory to be read");
  // A million strings, none of which is shown.
  limits.extraction_memory_bytes_max = 96 << 20;
  EXPECT_EQ(refused(made_file("many_strings_xlsx"), kXlsx), "needs more than 96 MiB of memory to be read");
}

TEST_F(HostileFilesTest, TimeIsLimitedAndPagesUntilThenAreKept) {
  limits.extraction_time_max = 100ms;
  EXPECT_EQ(refused(made_file("invoice_png"), "image/png"), "took longer than 100 ms to be read");
  limits.extraction_time_max = 4'000ms;
  const auto found = read(made_file("long_scanned_pdf"), kPdf);
  EXPECT_THAT(found.text, HasSubstr("INV-2026-48151"));
  EXPECT_THAT(found.left_out, HasSubstr("to 20 were not read: it took too long."));
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(HostileFilesTest, AReaderThatDoesNotListenIsKilled) {
  // A stop instead of a reader: it never says a word more, and keeps its child.
  limits.extraction_time_max = 5'000ms;
  const auto reading = begin(made_file("long_scanned_pdf"), kPdf);
  std::vector<pid_t> pythons;
  ASSERT_TRUE(eventually([&] {
    pythons.clear();
    for (const pid_t bwrap : children_of(::getpid())) {
      for (const pid_t python : children_of(bwrap)) pythons.push_back(python);
    }
    return !pythons.empty() && !children_of(pythons.front()).empty();  // tesseract, or one of its kin
  }));
  for (const pid_t python : pythons) ::kill(python, SIGSTOP);
  const auto found = reading->wait();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "took longer than 5 s to be read");
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(HostileFilesTest, WhoGoesTakesTheReadingAlong) {
  auto reading = begin(made_file("long_scanned_pdf"), kPdf);
  ASSERT_TRUE(eventually([] { return !children_of(::getpid()).empty(); }));
  reading->end();
  EXPECT_TRUE(nobody_is_left());
  EXPECT_FALSE(reading->is_done()) << "who has gone is not told";
  // At any moment of the start as well.
  for (int i = 0; i < 30; ++i) {
    reading = begin(made_file("pdf"), kPdf);
    ::usleep(static_cast<useconds_t>(i) * 5'000);
    reading->end();
  }
  EXPECT_TRUE(nobody_is_left());
  EXPECT_THAT(read(made_file("pdf"), kPdf).text, HasSubstr("first page"));
}

TEST_F(HostileFilesTest, AFewAtOnceAndTheOthersInOrder) {
  limits.extractions_max = 2;
  std::vector<std::unique_ptr<testing::Reading>> readings;
  for (int i = 0; i < 8; ++i) readings.push_back(begin("<p>page " + std::to_string(i) + "</p>", "text/html"));
  std::size_t most = 0;
  while (!readings.back()->is_done()) {
    most = std::max(most, children_of(::getpid()).size());
    ::usleep(1'000);
  }
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(readings[static_cast<std::size_t>(i)]->wait()->text, "page " + std::to_string(i));
  EXPECT_LE(most, 2u);
}

TEST_F(HostileFilesTest, WhoWaitsInLineCanGo) {
  limits.extractions_max = 1;
  const auto first = begin(made_file("scanned_pdf"), kPdf);
  auto second = begin(made_file("pdf"), kPdf);
  const auto third = begin(made_file("pdf"), kPdf);
  second->end();
  EXPECT_TRUE(first->wait());
  EXPECT_TRUE(third->wait());
  EXPECT_FALSE(second->is_done());
}

// Other tests may be at work in the same folder: what is theirs goes with them.
TEST_F(HostileFilesTest, NothingIsLeftBehind) {
  const auto files = [] {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator("/tmp")) found.insert(entry.path());
    return found;
  };
  read(made_file("pdf"), kPdf);
  const auto before = files();
  read(made_file("scanned_pdf"), kPdf);
  refused(made_file("broken_docx"), kDocx);
  auto left = files();
  std::erase_if(left, [&](const auto& path) { return before.contains(path); });
  EXPECT_TRUE(eventually([&] {
    std::erase_if(left, [](const auto& path) { return !std::filesystem::exists(path); });
    return left.empty();
  })) << *left.begin();
  EXPECT_TRUE(nobody_is_left());
}

TEST_F(HostileFilesTest, HostsThatCannotReadSaySo) {
  const auto why = [&](ExtractorOptions given, const std::string& file, const std::string& type) {
    SandboxedExtractor extractor(limits, std::move(given));
    const auto found = testing::Reading(extractor, loop, {made_file(file), type, 5'000ms}).wait();
    EXPECT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
    return found.error().message;
  };
  EXPECT_THAT(why({.programs = {.bwrap = "/nowhere/bwrap"}}, "pdf", kPdf), HasSubstr("install the package bubblewrap"));
  EXPECT_THAT(why({.tools = "/nowhere"}, "pdf", kPdf),
              HasSubstr("pdfinfo was not found in /nowhere: install the packages poppler-utils, tesseract-ocr"));
  EXPECT_THAT(why({.tools = "/nowhere"}, "invoice_png", "image/png"), HasSubstr("install the packages tesseract-ocr"));
  EXPECT_THAT(why({.programs = {.bwrap = "/bin/false"}}, "docx", kDocx), HasSubstr("ended without a word"));
}

// The server as a process of its own, killed while it reads: this test binary again, told to run the disabled test.
constexpr int kTellFd = 9;

TEST_F(HostileFilesTest, DISABLED_ReadsUntilItIsKilled) {
  const auto reading = begin(made_file("long_scanned_pdf"), kPdf);
  ASSERT_TRUE(eventually([] {
    const auto bwraps = children_of(::getpid());
    if (bwraps.empty()) return false;
    const auto pythons = children_of(bwraps.front());
    return !pythons.empty() && !children_of(pythons.front()).empty();
  }));
  ASSERT_EQ(::write(kTellFd, "x", 1), 1);
  reading->wait();
}

TEST_F(HostileFilesTest, AKilledServerTakesItsReadersAlong) {
  int tell[2];
  ASSERT_EQ(::pipe(tell), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    ::dup2(tell[1], kTellFd);
    ::execl("/proc/self/exe", "sandbox_test", "--gtest_filter=HostileFilesTest.DISABLED_ReadsUntilItIsKilled",
            "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    ::_exit(98);
  }
  ::close(tell[1]);
  char byte = 0;
  ASSERT_EQ(::read(tell[0], &byte, 1), 1);
  std::vector<pid_t> all = children_of(server);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const pid_t child : children_of(all[i])) all.push_back(child);
  }
  EXPECT_GE(all.size(), 2u);
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  for (const pid_t pid : all) EXPECT_TRUE(eventually([&] { return !testing::is_alive(pid); })) << pid;
  ::close(tell[0]);
}

}  // namespace
}  // namespace braidlog::sandbox
