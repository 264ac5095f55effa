#include "store/workspace/file_workspace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/testing/fake_loop.h"
#include "store/testing/test_folder.h"

namespace braidlog::store {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class FileWorkspaceTest : public ::testing::Test {
 protected:
  FileWorkspaceTest() {
    limits_.workspace_files_max = 20;
    limits_.workspace_file_bytes_max = 10'000;
    open();
    std::ofstream(data_.path() / "secret") << "secret";
  }
  void open() {
    workspace_.reset();
    auto made = FileWorkspace::open({.folder = data_.path(), .limits = limits_});
    ASSERT_TRUE(made) << made.error().message;
    workspace_ = std::move(*made);
  }
  fs::path root() const { return data_.path() / "workspaces"; }
  fs::path folder() const { return root() / to_uuid(session_); }
  // Plants things as code that runs in the workspace could.
  fs::path plant(const char* name) {
    fs::create_directories((folder() / name).parent_path());
    return folder() / name;
  }
  Result<api::FileInfo> write(std::string_view path, std::string_view content = "text") {
    return workspace_->write(session_, path, content);
  }
  std::string read(std::string_view path) {
    auto content = workspace_->read(session_, path, 1'000'000);
    return content ? content->content : "error: "s + name_of(content.error().code);
  }
  std::vector<std::string> paths() {
    const auto files = workspace_->list(session_);
    EXPECT_TRUE(files) << files.error().message;
    std::vector<std::string> out;
    for (const auto& file : *files) out.push_back(file.path);
    return out;
  }
  template <class T>
  static void expect_error(const Result<T>& result, ErrorCode code, const std::string& what = {}) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, code) << what << ": " << name_of(result.error().code);
  }

  TestFolder data_;
  Limits limits_;
  testing::FakeClock clock_;
  IdSource ids_{clock_, 7};
  SessionId session_ = ids_.make<SessionId>();
  std::unique_ptr<FileWorkspace> workspace_;
};

TEST_F(FileWorkspaceTest, WritesReadBack) {
  for (const char* path : {"a.txt", "folder/deep/er/b.txt", ".env", "with space", "back\\slash", "..a", "a..",
                           "\xc3\xbcml\xc3\xa4ut/\xf0\x9f\x98\x80.txt"}) {
    const std::string content = "content of "s + path + "\0\xff"s;
    const auto written = write(path, content);
    ASSERT_TRUE(written) << path << written.error().message;
    EXPECT_EQ(written->path, path);
    EXPECT_EQ(written->size, content.size());
    EXPECT_GT(written->updated_at.ms, 0);
    const auto back = workspace_->read(session_, path, 1000);
    ASSERT_TRUE(back) << path;
    EXPECT_EQ(back->content, content);
    EXPECT_EQ(back->info.size, content.size());
    EXPECT_EQ(back->info.updated_at, written->updated_at);
  }
  ASSERT_TRUE(write("empty", ""));
  EXPECT_EQ(read("empty"), "");
}

TEST_F(FileWorkspaceTest, AWriteReplacesTheWholeFile) {
  ASSERT_TRUE(write("a", std::string(5'000, 'x')));
  ASSERT_TRUE(write("a", "short"));
  EXPECT_EQ(read("a"), "short");
  EXPECT_EQ(paths(), std::vector<std::string>{"a"});
}

TEST_F(FileWorkspaceTest, PathsThatAreNoneAreInvalidEverywhere) {
  ASSERT_TRUE(write("a"));
  const std::vector<std::string> bad{"",
                                     "/",
                                     "/etc/passwd",
                                     "..",
                                     "../secret",
                                     "a/../../secret",
                                     "x/..",
                                     ".",
                                     "./a",
                                     "x/./y",
                                     "x//y",
                                     "x/",
                                     "a\0b"s,
                                     "a\nb",
                                     "a\rb",
                                     "a\x7f",
                                     "a\xc2\x85"
                                     "b",
                                     "\xff",
                                     "\xc0\xae\xc0\xae/secret",
                                     "\xed\xa0\x80",
                                     std::string(256, 'n'),
                                     std::string(1'025, 'p'),
                                     "/proc/self/environ"};
  for (const std::string& path : bad) {
    expect_error(write(path), ErrorCode::kInvalidPath, path);
    expect_error(workspace_->read(session_, path, 10), ErrorCode::kInvalidPath, path);
    expect_error(workspace_->rename(session_, path, "b"), ErrorCode::kInvalidPath, path);
    expect_error(workspace_->rename(session_, "a", path), ErrorCode::kInvalidPath, path);
  }
  std::string deep = "a";
  for (int i = 0; i < 40; ++i) deep += "/a";
  expect_error(write(deep), ErrorCode::kInvalidPath);
  EXPECT_EQ(paths(), std::vector<std::string>{"a"});
}

TEST_F(FileWorkspaceTest, LinksAreNeverFollowed) {
  ASSERT_TRUE(write("real/file", "inside"));
  fs::create_symlink(data_.path() / "secret", plant("link"));
  fs::create_symlink(data_.path(), plant("out"));
  fs::create_symlink("real", plant("loop"));
  fs::create_symlink("/proc/self", plant("proc"));
  fs::create_symlink("nowhere", plant("dangling"));
  for (const char* path : {"link", "out/secret", "loop/file", "proc/environ", "dangling"}) {
    expect_error(workspace_->read(session_, path, 1000), ErrorCode::kInvalidPath, path);
    expect_error(write(path), ErrorCode::kInvalidPath, path);
    EXPECT_FALSE(workspace_->rename(session_, path, "moved")) << path;
  }
  expect_error(workspace_->rename(session_, "real/file", "out/stolen"), ErrorCode::kInvalidPath);
  EXPECT_FALSE(workspace_->rename(session_, "real/file", "dangling"));
  EXPECT_EQ(paths(), std::vector<std::string>{"real/file"});
  std::ifstream in(data_.path() / "secret");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "secret");
  EXPECT_FALSE(fs::exists(data_.path() / "stolen"));
}

TEST_F(FileWorkspaceTest, ASessionFolderThatIsALinkIsRefused) {
  fs::create_symlink(data_.path(), folder());
  expect_error(workspace_->read(session_, "secret", 1000), ErrorCode::kInvalidPath);
  EXPECT_FALSE(write("x"));
  EXPECT_FALSE(workspace_->list(session_));
  EXPECT_TRUE(workspace_->remove_all(session_));
  EXPECT_TRUE(fs::exists(data_.path() / "secret"));
}

TEST_F(FileWorkspaceTest, ALinkSwappedInWhileWeWorkLeadsNowhere) {
  fs::create_directories(data_.path() / "outside");
  std::ofstream(data_.path() / "outside" / "file") << "outside";
  fs::create_directories(plant("dir"));
  std::ofstream(folder() / "dir" / "file") << "inside";
  fs::create_symlink(data_.path() / "outside", plant("spare"));
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    const std::string a = folder() / "dir", b = folder() / "spare";
    while (!stop) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 2'000; ++i) {
    const std::string content = read("dir/file");
    EXPECT_NE(content, "outside");
    if (i % 20 == 0) (void)write("dir/new", "new");
    if (i % 20 == 10) (void)workspace_->rename(session_, "dir/new", "dir/newer");
    if (i % 100 == 0) (void)workspace_->list(session_);
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(std::distance(fs::directory_iterator(data_.path() / "outside"), {}), 1);
}

TEST_F(FileWorkspaceTest, OnlyRegularFilesAreFiles) {
  ASSERT_TRUE(write("dir/file"));
  ASSERT_EQ(::mkfifo(plant("fifo").c_str(), 0600), 0);
  expect_error(workspace_->read(session_, "fifo", 10), ErrorCode::kFileNotFound);
  expect_error(workspace_->read(session_, "dir", 10), ErrorCode::kFileNotFound);
  expect_error(workspace_->read(session_, "dir/file/x", 10), ErrorCode::kFileNotFound);
  expect_error(workspace_->read(session_, "nothing", 10), ErrorCode::kFileNotFound);
  expect_error(write("fifo"), ErrorCode::kInvalidPath);
  expect_error(write("dir"), ErrorCode::kInvalidPath);
  expect_error(write("dir/file/x"), ErrorCode::kInvalidPath);
  expect_error(workspace_->rename(session_, "fifo", "a"), ErrorCode::kFileNotFound);
  expect_error(workspace_->rename(session_, "dir", "a"), ErrorCode::kFileNotFound);
  EXPECT_EQ(paths(), std::vector<std::string>{"dir/file"});
}

TEST_F(FileWorkspaceTest, SizesAreLimited) {
  EXPECT_TRUE(write("a", std::string(10'000, 'x')));
  expect_error(write("b", std::string(10'001, 'x')), ErrorCode::kTooLarge);
  expect_error(workspace_->read(session_, "a", 9'999), ErrorCode::kTooLarge);
  EXPECT_TRUE(workspace_->read(session_, "a", 10'000));
  // Ten gigabytes that are not there.
  std::ofstream(plant("huge")).close();
  fs::resize_file(plant("huge"), 10'000'000'000);
  expect_error(workspace_->read(session_, "huge", 1'000'000), ErrorCode::kTooLarge);
}

TEST_F(FileWorkspaceTest, FilesAreCounted) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(write("dir" + std::to_string(i % 3) + "/" + std::to_string(i)));
  expect_error(write("new/one"), ErrorCode::kLimitExceeded);
  EXPECT_FALSE(fs::exists(folder() / "new"));
  EXPECT_TRUE(write("dir0/0", "replaced"));
  EXPECT_TRUE(workspace_->rename(session_, "dir0/0", "moved"));
  expect_error(write("dir0/0"), ErrorCode::kLimitExceeded);
  for (int i = 0; i < 250; ++i) std::ofstream(plant(("planted" + std::to_string(i)).c_str()));
  expect_error(workspace_->list(session_), ErrorCode::kLimitExceeded);
}

TEST_F(FileWorkspaceTest, ConcurrentWritersNeitherMixNorExceed) {
  std::vector<std::thread> threads;
  std::atomic<int> written = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 15; ++i) {
        written += write("own/" + std::to_string(t) + "-" + std::to_string(i)).has_value();
        (void)write("shared", std::string(5'000, static_cast<char>('a' + t)));
        const std::string content = read("shared");
        EXPECT_TRUE(content.starts_with("error") || content == std::string(5'000, content[0]));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(paths().size(), 20u);
  EXPECT_GE(written, 19);
  EXPECT_TRUE(fs::is_empty(root() / ".scratch"));
}

TEST_F(FileWorkspaceTest, RenameMovesAndNeverReplaces) {
  ASSERT_TRUE(write("a/b/c", "one"));
  ASSERT_TRUE(write("taken", "two"));
  expect_error(workspace_->rename(session_, "a/b/c", "taken"), ErrorCode::kInvalidState);
  expect_error(workspace_->rename(session_, "taken", "taken"), ErrorCode::kInvalidState);
  expect_error(workspace_->rename(session_, "nothing", "x"), ErrorCode::kFileNotFound);
  expect_error(workspace_->rename(ids_.make<SessionId>(), "a", "b"), ErrorCode::kFileNotFound);
  EXPECT_EQ(read("taken"), "two");
  ASSERT_TRUE(workspace_->rename(session_, "a/b/c", "x/y/z"));
  EXPECT_EQ(read("x/y/z"), "one");
  EXPECT_FALSE(fs::exists(folder() / "a"));  // folders that became empty are gone
  EXPECT_EQ(paths(), (std::vector<std::string>{"taken", "x/y/z"}));
}

TEST_F(FileWorkspaceTest, ListIsSortedAndPassesOverOddNames) {
  EXPECT_TRUE(paths().empty());
  for (const char* path : {"b", "a/z", "a.txt", "c/d/e"}) ASSERT_TRUE(write(path));
  std::ofstream(plant("line\nbreak")) << "x";
  std::ofstream(plant("broken\xff")) << "x";
  EXPECT_EQ(paths(), (std::vector<std::string>{"a.txt", "a/z", "b", "c/d/e"}));
}

TEST_F(FileWorkspaceTest, SessionsAreApart) {
  ASSERT_TRUE(write("a", "mine"));
  const SessionId other = ids_.make<SessionId>();
  expect_error(workspace_->read(other, "a", 10), ErrorCode::kFileNotFound);
  EXPECT_TRUE(workspace_->list(other)->empty());
  ASSERT_TRUE(workspace_->write(other, "a", "theirs"));
  ASSERT_TRUE(workspace_->remove_all(other));
  EXPECT_EQ(read("a"), "mine");
}

TEST_F(FileWorkspaceTest, RemoveAllTakesEverythingHoweverDeep) {
  ASSERT_TRUE(workspace_->remove_all(session_));
  ASSERT_TRUE(write("a/b/c"));
  fs::create_symlink(data_.path(), plant("out"));
  ::mkfifo(plant("fifo").c_str(), 0600);
  fs::path deep = folder();
  for (int i = 0; i < 500; ++i) fs::create_directory(deep /= "d");
  std::ofstream(deep / "bottom") << "x";
  ASSERT_TRUE(write("locked/file"));
  ::chmod((folder() / "locked").c_str(), 0);
  const auto removed = workspace_->remove_all(session_);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_TRUE(fs::is_empty(root() / ".scratch"));
  EXPECT_TRUE(fs::exists(data_.path() / "secret"));
  EXPECT_TRUE(paths().empty());
  EXPECT_TRUE(write("again"));
}

TEST_F(FileWorkspaceTest, OneFileCanBeRemoved) {
  ASSERT_TRUE(write("a/b/gone.txt"));
  ASSERT_TRUE(write("kept.txt"));
  ASSERT_TRUE(workspace_->remove(session_, "a/b/gone.txt"));
  EXPECT_EQ(paths(), std::vector<std::string>{"kept.txt"});
  EXPECT_FALSE(fs::exists(folder() / "a")) << "empty folders go along";
  expect_error(workspace_->remove(session_, "a/b/gone.txt"), ErrorCode::kFileNotFound);
  expect_error(workspace_->remove(session_, "../secret"), ErrorCode::kInvalidPath);
  fs::create_symlink(data_.path() / "secret", plant("link"));
  expect_error(workspace_->remove(session_, "link"), ErrorCode::kFileNotFound);
  EXPECT_TRUE(fs::exists(data_.path() / "secret"));
}

TEST_F(FileWorkspaceTest, WhatACrashLeftIsSweptAtTheNextStart) {
  ASSERT_TRUE(write("kept"));
  std::ofstream(root() / ".scratch" / "half-written") << "x";
  fs::create_directories(root() / ".scratch" / "half-deleted" / "a");
  std::ofstream(root() / ".scratch" / "half-deleted" / "a" / "b") << "x";
  open();
  EXPECT_TRUE(fs::is_empty(root() / ".scratch"));
  EXPECT_EQ(read("kept"), "text");
}

TEST_F(FileWorkspaceTest, AFolderThatCannotBeMadeIsAnError) {
  const auto made = FileWorkspace::open({.folder = data_.path() / "secret", .limits = {}});
  expect_error(made, ErrorCode::kStorage);
}

}  // namespace
}  // namespace braidlog::store
