// Hosts on which no sandbox can be built: nothing runs, and the operator is told what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/testing/code_runner.h"

namespace braidlog::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::SandboxTest;

class UnavailableTest : public SandboxTest {
 protected:
  // A program in place of bubblewrap.
  std::string program(const std::string& text) {
    char name[] = "/tmp/braidlog-bwrap-XXXXXX";
    const int file = ::mkstemp(name);
    EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::fchmod(file, 0755);
    ::close(file);
    files_.emplace_back(name);
    return name;
  }
  ~UnavailableTest() override {
    for (const auto& file : files_) ::unlink(file.c_str());
  }
  void expect_unavailable(const std::string& why) {
    const auto problem = sandbox().problem();
    EXPECT_THAT(problem.value_or(""), HasSubstr(why));
    const auto run = open();
    for (int i = 0; i < 2; ++i) {
      const auto outcome = run->run("print('never')");
      EXPECT_TRUE(outcome.unavailable);
      EXPECT_THAT(outcome.error.value_or(""), HasSubstr(why));
      EXPECT_EQ(outcome.printed, "");
    }
  }

 private:
  std::vector<std::string> files_;
};

TEST_F(UnavailableTest, NoBubblewrap) {
  options.bwrap = "/nowhere/bwrap";
  expect_unavailable("install the package bubblewrap");
}

TEST_F(UnavailableTest, NoPython) {
  options.python = "/usr/bin/no-python3";
  expect_unavailable("install the package python3");
}

TEST_F(UnavailableTest, PythonWhereNoSandboxSeesIt) {
  options.python = program("#!/bin/sh\n");
  expect_unavailable("outside of /usr");
}

TEST_F(UnavailableTest, AHostWithoutNamespaces) {
  options.bwrap =
      program("#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n");
  expect_unavailable("Creating new namespace failed: Operation not permitted; ");
}

TEST_F(UnavailableTest, ABubblewrapThatOnlyPretends) {
  // Runs the command without any wall: what comes out is not believed, since bubblewrap's own word is missing.
  options.bwrap = program("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n");
  expect_unavailable("");
}

TEST_F(UnavailableTest, ABubblewrapThatHangs) {
  options.bwrap = program("#!/bin/sh\nexec sleep 1000\n");
  options.start_time_max = 300ms;
  expect_unavailable("not ready within 300 ms");
}

}  // namespace
}  // namespace braidlog::sandbox
