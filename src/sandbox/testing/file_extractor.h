// Reads files in real sandboxes and waits for their text; and makes files that no editor makes.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "net/io_thread.h"
#include "sandbox/sandboxed_extractor.h"

namespace braidlog::sandbox::testing {

inline const std::string kOffice = "application/vnd.openxmlformats-officedocument.";
inline const std::string kDocx = kOffice + "wordprocessingml.document";
inline const std::string kXlsx = kOffice + "spreadsheetml.sheet";
inline const std::string kPptx = kOffice + "presentationml.presentation";
inline const std::string kPdf = "application/pdf";

// A file of test/braid_client/documents.py, by its name there.
inline const std::string& made_file(const std::string& name) {
  static std::map<std::string, std::string> made;
  auto& file = made[name];
  if (!file.empty()) return file;
  const std::string command =
      "cd " BRAIDLOG_SOURCE_DIR "/test && /usr/bin/python3 -B -m braid_client.documents " + name;
  FILE* output = ::popen(command.c_str(), "r");
  char buffer[65536];
  while (const auto size = ::fread(buffer, 1, sizeof buffer, output)) file.append(buffer, size);
  EXPECT_EQ(::pclose(output), 0) << name;
  return file;
}

// What is read of one file.
class Reading {
 public:
  Reading(SandboxedExtractor& extractor, IoThread& loop, ExtractionJob job) : loop_(loop) {
    loop_.run_and_wait([&] {
      extraction_ = extractor.start(std::move(job), loop_, [this](Result<ExtractedText> found) {
        std::unique_lock lock(mutex_);
        found_ = std::move(found);
        changed_.notify_all();
      });
    });
  }
  ~Reading() { end(); }

  void end() {
    loop_.run_and_wait([&] { extraction_.reset(); });
  }
  bool is_done() {
    std::unique_lock lock(mutex_);
    return found_.has_value();
  }
  Result<ExtractedText> wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return found_.has_value(); })) {
      ADD_FAILURE() << "the file was never read";
      return fail(ErrorCode::kInternal, "never read");
    }
    return *found_;
  }

 private:
  IoThread& loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<ExtractedText>> found_;
  std::unique_ptr<Extraction> extraction_;
};

class ExtractorTest : public ::testing::Test {
 protected:
  ExtractorTest() : loop(0, clock) { loop.start(); }

  // With the limits as the test left them.
  SandboxedExtractor& extractor() {
    if (!extractor_) extractor_ = std::make_unique<SandboxedExtractor>(limits, options);
    return *extractor_;
  }
  std::unique_ptr<Reading> begin(std::string content, const std::string& media_type) {
    return std::make_unique<Reading>(extractor(), loop,
                                     ExtractionJob{std::move(content), media_type, limits.extraction_time_max});
  }
  ExtractedText read(std::string content, const std::string& media_type) {
    auto found = begin(std::move(content), media_type)->wait();
    EXPECT_TRUE(found) << found.error().message;
    return found ? std::move(*found) : ExtractedText{};
  }
  // Why it was not read.
  std::string refused(std::string content, const std::string& media_type) {
    const auto found = begin(std::move(content), media_type)->wait();
    EXPECT_FALSE(found) << found->text.substr(0, 1000);
    if (found) return {};
    EXPECT_EQ(found.error().code, ErrorCode::kBadFile) << found.error().message;
    return found.error().message;
  }

  SystemClock clock;
  Limits limits;
  ExtractorOptions options;
  IoThread loop;

 private:
  std::unique_ptr<SandboxedExtractor> extractor_;  // before the loop: its last posts find one
};

}  // namespace braidlog::sandbox::testing
