// The server as a process of its own: killed, and as another user. That process is this test binary again, told by a
// filter to run one of the disabled tests below, or all tests of code as an ordinary user.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/testing/code_runner.h"
#include "sandbox/testing/process_tree.h"

namespace braidlog::sandbox {
namespace {

using testing::children_of;
using testing::eventually;
using testing::SandboxTest;

constexpr int kTellFd = 9;
constexpr uid_t kNobody = 65'534;

// A size that shows in the command lines of one test's sandboxes, and of nobody else's.
std::size_t mark_of(pid_t test) {
  return 5'000'000 + static_cast<std::size_t>(test);
}

class ServerProcessTest : public SandboxTest {
 protected:
  // `tell` becomes descriptor 9 of the process.
  static pid_t start_self(const std::string& filter, bool as_nobody, int tell) {
    // By descriptor: the other user may not be able to walk to the file.
    const int self = ::open("/proc/self/exe", O_RDONLY);
    const std::string argument = "--gtest_filter=" + filter;
    char* const argv[] = {const_cast<char*>("sandbox_test"), const_cast<char*>(argument.c_str()),
                          const_cast<char*>("--gtest_also_run_disabled_tests"), const_cast<char*>("--gtest_brief=1"),
                          nullptr};
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(tell, kTellFd);
      if (as_nobody && (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
                        ::setresuid(kNobody, kNobody, kNobody) != 0 || ::chdir("/") != 0)) {
        ::_exit(99);
      }
      ::fexecve(self, argv, environ);
      ::_exit(98);
    }
    ::close(self);
    return pid;
  }
};

TEST_F(ServerProcessTest, DISABLED_RunsCodeUntilItIsKilled) {
  const auto run = open();
  run->run("1");
  run->begin("while True: pass");
  ASSERT_EQ(::write(kTellFd, "x", 1), 1);
  run->wait_for_end();
}

TEST_F(ServerProcessTest, DISABLED_StartsUntilItIsKilled) {
  limits.code_disk_bytes_max = mark_of(::getppid());
  sandbox().start();
  ASSERT_EQ(::write(kTellFd, "x", 1), 1);
  open()->run("while True: pass");
}

TEST_F(ServerProcessTest, AKilledServerTakesAllAlong) {
  int tell[2];
  ASSERT_EQ(::pipe(tell), 0);
  const pid_t server = start_self("ServerProcessTest.DISABLED_RunsCodeUntilItIsKilled", false, tell[1]);
  char byte = 0;
  ASSERT_EQ(::read(tell[0], &byte, 1), 1);
  std::vector<pid_t> all = children_of(server);
  ASSERT_FALSE(all.empty());
  for (const pid_t bwrap : children_of(server)) {
    for (const pid_t python : children_of(bwrap)) all.push_back(python);
  }
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  for (const pid_t pid : all) EXPECT_TRUE(eventually([&] { return !testing::is_alive(pid); })) << pid;
  ::close(tell[0]);
  ::close(tell[1]);
}

// Killed while sandboxes are being built, a little later each time.
TEST_F(ServerProcessTest, AServerKilledWhileItStartsLeavesNobody) {
  for (int i = 0; i < 60; ++i) {
    int tell[2];
    ASSERT_EQ(::pipe(tell), 0);
    const pid_t server = start_self("ServerProcessTest.DISABLED_StartsUntilItIsKilled", false, tell[1]);
    char byte = 0;
    ASSERT_EQ(::read(tell[0], &byte, 1), 1);
    ::usleep(static_cast<useconds_t>(i) * 250);
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
    ::close(tell[0]);
    ::close(tell[1]);
  }
  const std::string mark = std::to_string(mark_of(::getpid()));
  EXPECT_TRUE(eventually([&] { return testing::processes_with(mark).empty(); }));
}

TEST_F(ServerProcessTest, AnOrdinaryUserHasTheSameWalls) {
  if (::geteuid() != 0) GTEST_SKIP() << "these tests run as an ordinary user already";
  const pid_t server = start_self(
      "SandboxTest.*:EscapeTest.*:LimitsTest.Memory*:LimitsTest.Disk:LimitsTest.Files*:"
      "PoolTest.Killed*:ExtractorTest.APdfWithout*:ExtractorTest.TextIsClean*",
      true, STDERR_FILENO);
  int status = -1;
  ::waitpid(server, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace braidlog::sandbox
