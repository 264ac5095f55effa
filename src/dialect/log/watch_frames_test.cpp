#include "dialect/log/watch_frames.h"

#include <gtest/gtest.h>

namespace braidlog::log {
namespace {

const WatchName kWatch{"log", "run_01KHF0000070008000000000R1"};

TEST(WatchFrames, NameTheirWatch) {
  EXPECT_EQ(event_line(kWatch), "event: log run_01KHF0000070008000000000R1\n");
  EXPECT_EQ(caught_up_frame(kWatch), "event: caught-up run_01KHF0000070008000000000R1\ndata: {\"view\":\"log\"}\n\n");
  EXPECT_EQ(over_frame(kWatch), "event: over run_01KHF0000070008000000000R1\ndata: {\"view\":\"log\"}\n\n");
  EXPECT_EQ(refused_frame(kWatch, {ErrorCode::kRunNotFound, "Run not found", ""}),
            "event: refused run_01KHF0000070008000000000R1\n"
            "data: {\"view\":\"log\",\"status\":404,\"error\":\"Run not found\"}\n\n");
}

TEST(WatchFrames, TellNothingOfOurInside) {
  const auto frame = refused_frame(kWatch, {ErrorCode::kStorage, "disk I/O error at page 7", ""});
  EXPECT_NE(frame.find("\"status\":503"), std::string::npos) << frame;
  EXPECT_EQ(frame.find("page 7"), std::string::npos) << frame;
}

TEST(WatchFrames, GreetTheCaller) {
  const auto frame = hello_frame({.user_id = "ann", .is_admin = true});
  EXPECT_TRUE(frame.starts_with("event: hello\ndata: {\"version\":\"")) << frame;
  EXPECT_TRUE(frame.ends_with("\"user_id\":\"ann\",\"is_admin\":true}\n\n")) << frame;
}

TEST(WatchFrames, SayWhatChanged) {
  const ChangedRun run{*RunId::parse("run_01KHF0000070008000000000R1"),
                       *SessionId::parse("sess_01KHF0000070008000000000S1"), RunStatus::kWaitingApproval};
  EXPECT_EQ(
      changed_frame(run, "approvals"),
      "event: changed\ndata: {\"run_id\":\"run_01KHF0000070008000000000R1\","
      "\"session_id\":\"sess_01KHF0000070008000000000S1\",\"status\":\"waiting_approval\",\"what\":\"approvals\"}\n\n");
  EXPECT_EQ(missed_frame(), "event: missed\ndata: {}\n\n");
}

}  // namespace
}  // namespace braidlog::log
