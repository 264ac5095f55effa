// Processes come and go: the ready ones, the line, deaths at any point, and nothing left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "sandbox/testing/code_runner.h"
#include "sandbox/testing/process_tree.h"

namespace braidlog::sandbox {
namespace {

using namespace std::chrono_literals;
using testing::children_of;
using testing::eventually;
using ::testing::HasSubstr;
using testing::SandboxTest;
using ::testing::StartsWith;

class PoolTest : public SandboxTest {
 protected:
  static std::vector<pid_t> bwraps() { return children_of(::getpid()); }
  // The Python processes of all sandboxes.
  static std::vector<pid_t> pythons() {
    std::vector<pid_t> out;
    for (const pid_t bwrap : bwraps()) {
      for (const pid_t python : children_of(bwrap)) out.push_back(python);
    }
    return out;
  }
  static void kill_pythons() {
    for (const pid_t python : pythons()) ::kill(python, SIGKILL);
  }
};

const CodeFunction kAsk{"ask", "", R"({"type":"object","properties":{}})"};

TEST_F(PoolTest, NothingRunsBeforeTheFirstUse) {
  sandbox();
  EXPECT_TRUE(bwraps().empty());
}

TEST_F(PoolTest, SomeWaitReadyAndNothingIsLeftBehind) {
  limits.sandboxes_ready = 2;
  {
    PythonSandbox own(limits);
    own.start();
    EXPECT_EQ(own.problem(), std::nullopt);
    EXPECT_TRUE(eventually([] { return pythons().size() == 2; }));
    testing::CodeRunner run(own, loop);
    EXPECT_EQ(run.run("1").value, "1");
    EXPECT_TRUE(eventually([] { return pythons().size() == 3; }));  // one taken, two ready: the most there may be
  }
  EXPECT_TRUE(bwraps().empty());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no zombie either
}

TEST_F(PoolTest, AReadyOneThatDiesIsReplaced) {
  EXPECT_EQ(sandbox().problem(), std::nullopt);
  ASSERT_TRUE(eventually([] { return pythons().size() == 1; }));
  const auto before = pythons();
  kill_pythons();
  EXPECT_TRUE(eventually([&] { return pythons().size() == 1 && pythons() != before; }));
  EXPECT_EQ(open()->run("1").value, "1");
}

TEST_F(PoolTest, AClosedSessionsProcessIsKilledAtOnce) {
  limits.sandboxes_ready = 0;
  auto run = open();
  run->begin("while True: pass");
  ASSERT_TRUE(eventually([] { return testing::uses_cpu(pythons()); }));
  run->close();
  EXPECT_TRUE(eventually([] { return bwraps().empty(); }));
}

TEST_F(PoolTest, KilledWhileItRuns) {
  auto run = open();
  run->begin("print('begun')\nwhile True: pass");
  ASSERT_TRUE(eventually([] { return testing::uses_cpu(pythons()); }));
  kill_pythons();
  const auto outcome = run->wait_for_end();
  EXPECT_TRUE(outcome.lost);
  EXPECT_FALSE(outcome.unavailable);
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("was killed"));
  EXPECT_EQ(outcome.printed, "begun\n");
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(PoolTest, KilledBetweenTwoCodes) {
  auto run = open();
  run->run("x = 1");
  kill_pythons();
  const auto outcome = run->run("print(x)");
  EXPECT_TRUE(outcome.lost);
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("variables are gone"));
  EXPECT_EQ(outcome.printed, "");
  EXPECT_EQ(run->run("2").value, "2");
}

TEST_F(PoolTest, KilledWhileItWaitsForAnAnswer) {
  auto run = open({kAsk});
  run->begin("ask()");
  ASSERT_TRUE(run->wait_for_call());
  kill_pythons();
  const auto outcome = run->wait_for_end();
  EXPECT_TRUE(outcome.lost);
  run->give({1});  // too late: nobody minds, and no later call takes it for its own
  run->begin("ask()");
  ASSERT_TRUE(run->wait_for_call());
  run->give({2});
  EXPECT_EQ(run->wait_for_end().value, "2");
  EXPECT_EQ(run->run("3").value, "3");
}

TEST_F(PoolTest, BubblewrapKilledTakesPythonAlong) {
  auto run = open();
  run->run("x = 1");
  run->begin("while True: pass");
  for (const pid_t bwrap : bwraps()) ::kill(bwrap, SIGKILL);
  EXPECT_TRUE(run->wait_for_end().lost);
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(PoolTest, EndsByItself) {
  auto run = open();
  auto outcome = run->run("import os\nprint('bye', flush=True)\nos._exit(3)");
  EXPECT_TRUE(outcome.lost);
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("exit status 3"));
  EXPECT_EQ(outcome.printed, "bye\n");
  outcome = run->run("import os\nos.abort()");
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(PoolTest, MoreSessionsThanSandboxesWaitInLine) {
  limits.sandboxes_max = 2;
  auto one = open();
  auto two = open();
  one->run("1");
  two->run("1");
  auto three = open();
  three->begin("'at last'");
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(bwraps().size(), 2u);
  one.reset();
  EXPECT_EQ(three->wait_for_end().value, "'at last'");
}

TEST_F(PoolTest, TheLineEndsWithTheLimitsName) {
  limits.sandboxes_max = 1;
  limits.sandbox_wait_max = 300ms;
  auto one = open();
  one->run("1");
  auto two = open();
  const auto outcome = two->run("1");
  EXPECT_THAT(outcome.error.value_or(""), StartsWith("limit of 1 sandboxes"));
  EXPECT_FALSE(outcome.lost || outcome.unavailable);
  one.reset();
  EXPECT_EQ(two->run("1").value, "1");
}

TEST_F(PoolTest, ASessionMayLeaveTheLine) {
  limits.sandboxes_max = 1;
  auto one = open();
  one->run("1");
  auto two = open();
  two->begin("1");
  two.reset();
  one.reset();
  EXPECT_EQ(open()->run("1").value, "1");
}

TEST_F(PoolTest, SessionsThatComeAndGoAtAnyMoment) {
  for (int i = 0; i < 30; ++i) {
    auto run = open({kAsk});
    run->begin(i % 3 == 0 ? "ask()" : i % 3 == 1 ? "while True: pass" : "print('x' * 100000)");
    std::this_thread::sleep_for(std::chrono::milliseconds(i));
  }
  EXPECT_EQ(open()->run("1").value, "1");
}

}  // namespace
}  // namespace braidlog::sandbox
