#include "sandbox/code_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/utf8.h"

namespace braidlog::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CodeRunTest : public ::testing::Test {
 protected:
  static Limits small_limits() {
    Limits limits;
    limits.code_time_max = 10s;
    limits.code_output_bytes_max = 8;
    return limits;
  }
  static RunnerMessage done() { return {.kind = RunnerMessage::Kind::kDone}; }

  Limits limits = small_limits();
  LimitWords words{limits};
  CodeRun run{limits, words};
  Time start{100s};
};

TEST_F(CodeRunTest, WaitingTakesNoTime) {
  run.begin(start);
  const auto first = *run.kill_at();
  EXPECT_GT(first, start + 10s);
  EXPECT_LE(first, start + 11s);
  run.pause(start + 4s);
  EXPECT_TRUE(run.waits());
  EXPECT_EQ(run.kill_at(), std::nullopt);
  run.resume(start + 1000s);
  EXPECT_EQ(*run.kill_at(), first + 996s);
  run.pause(start + 1001s);
  run.resume(start + 1001s);
  EXPECT_EQ(*run.kill_at(), first + 996s);
}

TEST_F(CodeRunTest, OutputUpToTheLimit) {
  EXPECT_TRUE(run.add_output("1234"));
  EXPECT_TRUE(run.add_output("5678"));
  const auto outcome = run.ended(done());
  EXPECT_EQ(outcome.printed, "12345678");
  EXPECT_EQ(outcome.error, std::nullopt);
}

TEST_F(CodeRunTest, MoreIsCutBetweenCharactersAndIsAnError) {
  EXPECT_TRUE(run.add_output("1234567é9"));
  auto message = done();
  message.value = "1";
  message.final = 2;
  const auto outcome = run.ended(std::move(message));
  EXPECT_THAT(outcome.printed, StartsWith("1234567…"));
  EXPECT_EQ(outcome.error, words.output);
  EXPECT_FALSE(outcome.value || outcome.final);
}

TEST_F(CodeRunTest, AFloodHasAnEnd) {
  bool more = true;
  int pieces = 0;
  for (; more; ++pieces) more = run.add_output(std::string(10'000, 'x'));
  EXPECT_LT(pieces, 10);
  const auto outcome = run.stopped(StopReason::kOutput, 137);
  EXPECT_TRUE(outcome.lost);
  EXPECT_THAT(*outcome.error, StartsWith(words.output));
  EXPECT_LT(outcome.printed.size(), 100u);
}

TEST_F(CodeRunTest, BrokenBytesDoNotGrowPastTheLimit) {
  EXPECT_TRUE(run.add_output("\xff\xff\xff\xff\xff\xff"));
  const auto printed = run.ended(done()).printed;
  EXPECT_TRUE(is_valid_utf8(printed));
  EXPECT_THAT(printed, EndsWith("(cut: output limit of 8 bytes)"));
}

TEST_F(CodeRunTest, TextsOfTheRunnerAreCutToo) {
  auto message = done();
  message.error = std::string(1000, 'e');
  const auto outcome = run.ended(std::move(message));
  EXPECT_EQ(outcome.error->size(), 8u);
}

TEST_F(CodeRunTest, EndsInWords) {
  EXPECT_THAT(*run.stopped(StopReason::kTime, 137).error, StartsWith("time limit of 10 s"));
  EXPECT_THAT(*run.stopped(StopReason::kDisk, 137).error, StartsWith("disk limit"));
  EXPECT_THAT(*run.stopped(StopReason::kProtocol, 137).error, HasSubstr("line to the server"));
  EXPECT_THAT(*run.stopped(StopReason::kNone, 128 + SIGSEGV).error, HasSubstr("crashed (Segmentation fault)"));
  EXPECT_THAT(*run.stopped(StopReason::kNone, 128 + SIGKILL).error, HasSubstr("was killed"));
  EXPECT_THAT(*run.stopped(StopReason::kNone, 3).error, HasSubstr("exit status 3"));
}

}  // namespace
}  // namespace braidlog::sandbox
