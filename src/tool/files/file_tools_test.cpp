#include "tool/files/file_tools.h"

#include <gtest/gtest.h>

#include "tool/testing/memory_workspace.h"
#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

// Keeps its work until it is told to do it.
class SlowPool final : public WorkerPool {
 public:
  void run(Task task) override { tasks_.push_back(std::move(task)); }
  void work() {
    for (auto& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<Task> tasks_;
};

class FileTools : public ::testing::Test {
 protected:
  const SessionId session_{{{1}}};
  testing::MemoryWorkspace workspace_;
  ::braidlog::testing::InlinePool pool_;
  SlowPool slow_pool_;
  FileToolContext context_{workspace_, pool_, 1'000'000, 64 * 1024};
  FileToolContext slow_{workspace_, slow_pool_, 1'000'000, 64 * 1024};
  FileRead read_{context_};
  FileList list_{context_};
  FileWrite write_{context_};
  FileRename rename_{context_};
  testing::ToolCaller caller_;
};

TEST_F(FileTools, WriteCountsCharacters) {
  const auto outcome = caller_.call(write_, R"({"path":"notes/a.md","content":"Gr\u00fc\u00dfe \ud83d\ude00\n"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, "Successfully wrote 8 characters to notes/a.md");
  EXPECT_EQ(outcome.value, json::value(outcome.text));
  EXPECT_EQ(workspace_.read(session_, "notes/a.md", 100)->content, "Grüße 😀\n");
}

TEST_F(FileTools, WhatWritesSaysSo) {
  EXPECT_TRUE(write_.spec().writes);
  EXPECT_TRUE(rename_.spec().writes);
  EXPECT_FALSE(write_.spec().idempotent);
  EXPECT_FALSE(rename_.spec().idempotent);
  EXPECT_FALSE(read_.spec().writes);
  EXPECT_FALSE(list_.spec().writes);
}

TEST_F(FileTools, ArgumentsAreChecked) {
  const auto message = [](const Tool& tool, std::string_view args) {
    const auto status = tool.check(parse_json(args).value());
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(write_, R"({"path":"a"})"), "content: is required");
  EXPECT_EQ(message(write_, R"({"path":"a","content":5})"), "content: expected string");
  EXPECT_EQ(message(read_, R"({"path":""})"), "path: must not be empty");
  EXPECT_EQ(message(list_, R"({"path":"a"})"), "path: unknown argument");
  EXPECT_EQ(message(rename_, R"({"from":"a"})"), "to: is required");
}

TEST_F(FileTools, ReadGivesTheText) {
  ASSERT_TRUE(workspace_.write(session_, "a.md", "one\ntwo\n"));
  const auto outcome = caller_.call(read_, R"({"path":"a.md"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, "one\ntwo\n");
}

TEST_F(FileTools, ReadRefusesWhatIsNoText) {
  ASSERT_TRUE(workspace_.write(session_, "a.png", "\x89PNG\xff"));
  ASSERT_TRUE(workspace_.write(session_, "b.bin", std::string_view("a\0b", 3)));
  EXPECT_EQ(caller_.call(read_, R"({"path":"a.png"})").text, "a.png: binary file, 5 bytes");
  const auto outcome = caller_.call(read_, R"({"path":"b.bin"})");
  EXPECT_EQ(outcome.text, "b.bin: binary file, 3 bytes");
  EXPECT_EQ(outcome.status, ToolStatus::kToolError);
  EXPECT_TRUE(outcome.value.is_null());
}

TEST_F(FileTools, ReadCutsBetweenCharactersWithAMark) {
  std::string text(64 * 1024 - 1, 'x');
  text += "\xc3\xa4" + std::string(1000, 'y');
  ASSERT_TRUE(workspace_.write(session_, "long.txt", text));
  const auto outcome = caller_.call(read_, R"({"path":"long.txt"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, std::string(64 * 1024 - 1, 'x') + "\n[cut here: the first 65535 of 66537 bytes]");
}

TEST_F(FileTools, ErrorsAreInPlainWordsWithoutHostPaths) {
  ASSERT_TRUE(workspace_.write(session_, "a.md", "x"));
  ASSERT_TRUE(workspace_.write(session_, "b.md", "x"));
  ASSERT_TRUE(workspace_.write(session_, "big.md", std::string(1'000'001, 'x')));
  EXPECT_EQ(caller_.call(read_, R"({"path":"none.md"})").text, "none.md: no such file");
  EXPECT_EQ(caller_.call(read_, R"({"path":"big.md"})").text, "big.md: too large");
  EXPECT_EQ(caller_.call(read_, R"({"path":"../x"})").text, "../x: not a path inside the workspace");
  EXPECT_EQ(caller_.call(write_, R"({"path":"/etc/x","content":""})").text, "/etc/x: not a path inside the workspace");
  EXPECT_EQ(caller_.call(rename_, R"({"from":"none","to":"c"})").text, "none: no such file");
  EXPECT_EQ(caller_.call(rename_, R"({"from":"a.md","to":"b.md"})").text, "b.md: exists already");
  EXPECT_EQ(caller_.call(rename_, R"({"from":"a.md","to":"../b"})").text,
            "a.md or ../b: not a path inside the workspace");
  workspace_.break_with(ErrorCode::kLimitExceeded);
  EXPECT_EQ(caller_.call(write_, R"({"path":"c","content":""})").text, "c: the workspace holds too many files");
  workspace_.break_with(ErrorCode::kStorage);
  EXPECT_EQ(caller_.call(list_, "{}").text, "the workspace: the workspace could not do it");
}

TEST_F(FileTools, ListNamesEveryFile) {
  EXPECT_EQ(caller_.call(list_, "{}").text, "The workspace has no files.");
  ASSERT_TRUE(workspace_.write(session_, "a.md", "x"));
  ASSERT_TRUE(workspace_.write(session_, "d/b.md", "xyz"));
  ASSERT_TRUE(workspace_.write(SessionId{{{2}}}, "other.md", "xyz"));
  const auto outcome = caller_.call(list_, "{}");
  EXPECT_EQ(outcome.text, "a.md (1 byte)\nd/b.md (3 bytes)");
  EXPECT_EQ(to_json(outcome.value), R"([{"path":"a.md","size":1},{"path":"d/b.md","size":3}])");
}

TEST_F(FileTools, RenameMoves) {
  ASSERT_TRUE(workspace_.write(session_, "a.md", "x"));
  EXPECT_EQ(caller_.call(rename_, R"({"from":"a.md","to":"d/b.md"})").text, "Renamed a.md to d/b.md");
  EXPECT_TRUE(workspace_.read(session_, "d/b.md", 10));
}

TEST_F(FileTools, CancelledBeforeTheWorkTheFileIsStillWrittenButNobodyHears) {
  FileWrite write(slow_);
  auto run = caller_.start(write, R"({"path":"a.md","content":"x"})");
  run.reset();
  slow_pool_.work();
  caller_.loop().run_ready();
  EXPECT_FALSE(caller_.outcome());
  EXPECT_EQ(workspace_.writes(), 1);
}

TEST_F(FileTools, CancelledBetweenTheWorkAndItsNews) {
  FileWrite write(slow_);
  auto run = caller_.start(write, R"({"path":"a.md","content":"x"})");
  slow_pool_.work();
  run.reset();
  caller_.loop().run_ready();
  EXPECT_FALSE(caller_.outcome());
}

TEST_F(FileTools, DoneMayDestroyTheRunThatCallsIt) {
  std::unique_ptr<ToolRun> run;
  ToolInvocation invocation;
  invocation.args = parse_json("{}").value();
  bool heard = false;
  run = list_.start(std::move(invocation), caller_.loop(), [&](ToolOutcome) {
    run.reset();
    heard = true;
  });
  caller_.loop().run_ready();
  EXPECT_TRUE(heard);
}

}  // namespace
}  // namespace braidlog::tool
