#include "server/notice_queue.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

RunNotice notice(unsigned char run, RunChange change) {
  return {RunId{Id128{{run}}}, SessionId{Id128{{7}}}, "ann", change};
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(NoticeQueueTest, OneFrameForEachThingThatChanged) {
  NoticeQueue queue(8);
  EXPECT_TRUE(queue.empty());
  queue.add(notice(1, {.status = RunStatus::kRunning, .run = true, .tasks = true}));
  queue.add(notice(2, {.status = RunStatus::kWaitingApproval, .approvals = true, .items = true}));
  const auto frames = queue.take_frames();
  EXPECT_EQ(count_of(frames, "event: changed\n"), 4u) << frames;
  const std::size_t places[] = {frames.find("\"run\"}"), frames.find("\"tasks\"}"), frames.find("\"approvals\"}"),
                                frames.find("\"items\"}")};
  EXPECT_TRUE(std::is_sorted(std::begin(places), std::end(places))) << frames;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.take_frames(), "");
}

TEST(NoticeQueueTest, OfARunOnlyTheLastWordWaits) {
  NoticeQueue queue(8);
  for (int i = 0; i < 1000; ++i) {
    queue.add(notice(1, {.status = RunStatus::kWaitingApproval, .run = true, .approvals = true}));
    queue.add(notice(1, {.status = RunStatus::kRunning, .run = true, .approvals = true}));
  }
  queue.add(notice(1, {.status = RunStatus::kCompleted, .run = true}));
  const auto frames = queue.take_frames();
  EXPECT_EQ(count_of(frames, "event: changed\n"), 2u) << frames;
  EXPECT_EQ(count_of(frames, "\"completed\""), 2u) << "what changed before has the status of now";
}

TEST(NoticeQueueTest, TooManyRunsAreToldAsMissed) {
  NoticeQueue queue(3);
  for (unsigned char run = 1; run <= 10; ++run) queue.add(notice(run, {.status = RunStatus::kRunning, .run = true}));
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.take_frames(), "event: missed\ndata: {}\n\n");
  EXPECT_TRUE(queue.empty());
  queue.add(notice(1, {.status = RunStatus::kRunning, .run = true}));
  EXPECT_EQ(count_of(queue.take_frames(), "event: changed\n"), 1u) << "and then it goes on";
}

TEST(NoticeQueueTest, AsManyRunsAsThereMayBeAreNotTooMany) {
  NoticeQueue queue(3);
  for (unsigned char run = 1; run <= 3; ++run) queue.add(notice(run, {.status = RunStatus::kRunning, .run = true}));
  for (unsigned char run = 1; run <= 3; ++run) queue.add(notice(run, {.status = RunStatus::kCompleted, .run = true}));
  EXPECT_EQ(count_of(queue.take_frames(), "\"completed\""), 3u);
}

}  // namespace
}  // namespace braidlog
