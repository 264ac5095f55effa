// Attached files that are no text: read one after the other before the first turn.
#include <gtest/gtest.h>

#include "engine/effects.h"
#include "engine/prompt.h"
#include "engine/testing/machine_fixture.h"

namespace braidlog {
namespace {

using testing::check_log;

class MachineFilesTest : public testing::MachineTest {
 protected:
  Run with_files(std::vector<Attachment> files) {
    Run run;
    RunQueued queued;
    queued.text = "look";
    queued.attachments = std::move(files);
    run.log = {{{1}, {1000}, 0, queued}, {{2}, {1000}, 0, RunStarted{}}};
    load(run);
    run.feed(Begin{});
    return run;
  }
  static std::optional<std::uint32_t> wanted(const Run& run) {
    for (const auto& command : run.last.commands) {
      if (const auto* read = std::get_if<ReadFile>(&command)) return read->index;
    }
    return std::nullopt;
  }
};

TEST_F(MachineFilesTest, AreReadInTurnBeforeTheModelIsAsked) {
  Run run = with_files(
      {{"a.png", "image/png", 5, ""}, {"b.txt", "text/plain", 2, "hi"}, {"c.pdf", "application/pdf", 9, ""}});
  EXPECT_EQ(run.phase(), RunPhase::kQueued);
  EXPECT_EQ(wanted(run), 0u);
  run.feed(FileRead{0, ExtractedText{"Invoice 42", "", {}}});
  EXPECT_FALSE(run.commanded<CallModel>());
  EXPECT_EQ(wanted(run), 2u);
  run.feed(FileRead{2, ExtractedText{"", "Pages 3 to 4 were not read.", {}}});
  EXPECT_TRUE(run.commanded<CallModel>());
  const auto request = make_prompt(*fake_.make(), {}, run.state(), limits_);
  EXPECT_EQ(
      request.messages[0].text,
      "look\n\n## Attached file: a.png\n\nInvoice 42\n\n## Attached file: b.txt\n\nhi\n\n## Attached file: c.pdf\n\n"
      "[No text was found in this file.]\n[Pages 3 to 4 were not read.]");
  check_log(run.log, run.state());
}

TEST_F(MachineFilesTest, TheTextBecomesPartOfTheStoredMessage) {
  Run run = with_files({{"a.png", "image/png", 5, ""}});
  run.feed(FileRead{0, ExtractedText{"Invoice 42", "", {}}});
  const auto effects = effects_of(RunId{}, run.state(), run.last.events);
  ASSERT_TRUE(effects.attached);
  EXPECT_EQ(effects.attached->text, "\n\n## Attached file: a.png\n\nInvoice 42");
}

TEST_F(MachineFilesTest, ABadFileEndsTheRunByName) {
  Run run = with_files({{"a.pdf", "application/pdf", 5, ""}});
  run.feed(FileRead{0, fail(ErrorCode::kBadFile, "is not a PDF that can be read")});
  EXPECT_EQ(run.state().failure, FailureCode::kBadFile);
  EXPECT_EQ(run.state().failure_message, "a.pdf is not a PDF that can be read");
  EXPECT_EQ(run.count<ModelStarted>(), 0u);
  check_log(run.log, run.state());
}

TEST_F(MachineFilesTest, AHostThatCannotReadIsNotTheFilesFault) {
  Run run = with_files({{"a.pdf", "application/pdf", 5, ""}});
  run.feed(FileRead{0, fail(ErrorCode::kUnavailable, "cannot be read: bwrap: no /usr/secret")});
  EXPECT_EQ(run.state().failure, FailureCode::kInternal);
  EXPECT_EQ(run.state().failure_message, "a.pdf could not be read by this server");
}

TEST_F(MachineFilesTest, LateAndForeignAnswersMeanNothing) {
  Run run = with_files({{"a.png", "image/png", 5, ""}, {"b.png", "image/png", 5, ""}});
  run.feed(FileRead{1, ExtractedText{"not yet", "", {}}});
  EXPECT_TRUE(run.last.events.empty());
  run.feed(InterruptOrdered{{}});
  EXPECT_EQ(run.phase(), RunPhase::kOver);
  run.feed(FileRead{0, ExtractedText{"too late", "", {}}});
  EXPECT_TRUE(run.last.events.empty());
  check_log(run.log, run.state());
}

TEST_F(MachineFilesTest, ARestartReadsOnWhereItWas) {
  Run run = with_files({{"a.png", "image/png", 5, ""}, {"b.png", "image/png", 5, ""}});
  run.feed(FileRead{0, ExtractedText{"one", "", {}}});
  restart(run);
  EXPECT_EQ(wanted(run), 1u);
  run.feed(FileRead{1, ExtractedText{"two", "", {}}});
  EXPECT_TRUE(run.commanded<CallModel>());
  EXPECT_EQ(run.count<AttachmentRead>(), 2u);
}

TEST_F(MachineFilesTest, LongTextIsCutWithAMark) {
  limits_.attachment_text_bytes_max = 10;
  Run run = with_files({{"a.png", "image/png", 5, ""}});
  run.feed(FileRead{0, ExtractedText{"0123456789abc", "", {}}});
  EXPECT_EQ(run.state().request.attachments[0].text, "0123456789\n[The file goes on; 3 bytes were cut here.]");
}

}  // namespace
}  // namespace braidlog
