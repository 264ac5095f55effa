// Code that takes too much: the limit is named, and the next code runs, with the variables or, when the process had to
// go, without them and `lost` says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "sandbox/testing/code_runner.h"

namespace braidlog::sandbox {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::SandboxTest;
using ::testing::StartsWith;

class LimitsTest : public SandboxTest {};

TEST_F(LimitsTest, AnEndlessLoopIsStoppedAndItsVariablesStay) {
  limits.code_time_max = 400ms;
  const auto run = open();
  run->run("x = 7");
  const auto outcome = run->run("print('begun')\nwhile True:\n    pass");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("time limit of 400 ms"));
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("in <module>\n    while True:"));
  EXPECT_EQ(outcome.printed, "begun\n");
  EXPECT_FALSE(outcome.lost);
  EXPECT_EQ(run->run("x").value, "7");
}

TEST_F(LimitsTest, ALoopThatListensToNobodyIsKilled) {
  limits.code_time_max = 400ms;
  const auto run = open();
  const auto outcome = run->run(
      "import time\nprint('begun')\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException: pass");
  EXPECT_THAT(outcome.error.value_or(""), StartsWith("time limit of 400 ms"));
  EXPECT_EQ(outcome.printed, "begun\n");
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, CodeThatHoldsTheInterpreterIsKilled) {
  limits.code_time_max = 400ms;
  const auto run = open();
  const auto outcome = run->run("sum(range(10**12))");
  EXPECT_THAT(outcome.error.value_or(""), StartsWith("time limit of 400 ms"));
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, AReprWithoutEndIsStopped) {
  limits.code_time_max = 400ms;
  const auto run = open();
  const auto outcome = run->run("class R:\n    def __repr__(self):\n        while True: pass\nR()");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("time limit of 400 ms"));
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, WaitingForAnAnswerIsNotTheCodesTime) {
  limits.code_time_max = 600ms;
  const auto run = open({CodeFunction{"ask", "", R"({"type":"object","properties":{}})"}});
  // A second thread burns what it can meanwhile; it is stopped with the rest.
  run->begin(
      "import threading, time\nstop = False\ndef burn():\n    while not stop: pass\n"
      "t = threading.Thread(target=burn); t.start()\nbefore = time.process_time()\nx = ask()\n"
      "used = time.process_time() - before\nstop = True\nt.join()\nused < 0.5");
  ASSERT_TRUE(run->wait_for_call());
  std::this_thread::sleep_for(1500ms);
  run->give({"late"});
  const auto outcome = run->wait_for_end();
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.value, "True");
}

TEST_F(LimitsTest, TimeAfterAnAnswerCountsOn) {
  limits.code_time_max = 500ms;
  const auto run = open({CodeFunction{"ask", "", R"({"type":"object","properties":{}})"}});
  run->answer = [](const std::string&, const json::object&) { return CodeAnswer{1}; };
  const auto outcome = run->run("while True: ask()");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("time limit of 500 ms"));
}

TEST_F(LimitsTest, IdleThreadsRunNoFurther) {
  const auto run = open();
  run->run(
      "import threading, time\nn = 0\ndef count():\n    global n\n    while True:\n        n += 1\n"
      "threading.Thread(target=count, daemon=True).start()\nc = time.process_time()");
  std::this_thread::sleep_for(1000ms);
  const auto outcome = run->run("time.process_time() - c < 0.5");
  EXPECT_EQ(outcome.value, "True");
}

TEST_F(LimitsTest, MemoryAtOnce) {
  const auto run = open();
  run->run("x = 7");
  const auto outcome = run->run("y = bytearray(100 * 1024**3)");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("memory limit of 256 MiB"));
  EXPECT_FALSE(outcome.lost);
  EXPECT_EQ(run->run("x").value, "7");
}

TEST_F(LimitsTest, MemoryBitByBit) {
  const auto run = open();
  const auto outcome = run->run("y = []\nwhile True: y.append('x' * 100_000)");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("memory limit of 256 MiB"));
  const auto next = run->run("y = None\n1");
  EXPECT_TRUE(outcome.lost || next.value == "1") << next.error.value_or("");
  const auto small = run->run("y = []\nwhile True: y.append([])");
  EXPECT_THAT(small.error.value_or(""), HasSubstr("memory limit of 256 MiB"));
  EXPECT_EQ(run->run("y = None\n2").value, "2");
}

TEST_F(LimitsTest, MemoryInC) {
  const auto run = open();
  EXPECT_THAT(run->run("'x' * 10**12").error.value_or(""), HasSubstr("memory limit of 256 MiB"));
  EXPECT_THAT(run->run("import mmap\nmmap.mmap(-1, 10 * 1024**3)").error.value_or(""),
              HasSubstr("memory limit of 256 MiB"));
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, AStackWithoutEndEndsTheCode) {
  const auto run = open();
  EXPECT_THAT(run->run("def f(): f()\nf()").error.value_or(""), HasSubstr("RecursionError"));
  const auto outcome = run->run("import ctypes\nctypes.string_at(0)");
  EXPECT_TRUE(outcome.lost);
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("crashed (Segmentation fault)"));
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, AFloodOfOutputIsCutAndStopped) {
  const auto run = open();
  run->run("x = 7");
  const auto outcome = run->run("while True: print('é' * 50)");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("output limit of 8 KiB"));
  EXPECT_THAT(outcome.printed, EndsWith("… (cut: output limit of 8 KiB)"));
  EXPECT_LE(outcome.printed.size(), 8u * 1024 + 64);
  EXPECT_TRUE(is_valid_utf8(outcome.printed));
  EXPECT_FALSE(outcome.lost);
  EXPECT_EQ(run->run("x").value, "7");
}

TEST_F(LimitsTest, AFloodPastPythonIsKilled) {
  const auto run = open();
  const auto outcome = run->run("import os\nwhile True: os.write(2, b'y' * 10_000)");
  EXPECT_THAT(outcome.error.value_or(""), StartsWith("output limit of 8 KiB"));
  EXPECT_THAT(outcome.printed, EndsWith("… (cut: output limit of 8 KiB)"));
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, OutputUpToTheLimitIsWhole) {
  const auto run = open();
  const auto outcome = run->run("print('x' * (8 * 1024 - 1))");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.printed.size(), 8u * 1024);
  EXPECT_THAT(run->run("print('x' * 8 * 1024)").error.value_or(""), HasSubstr("output limit of 8 KiB"));
  EXPECT_EQ(run->run("print('again')").printed, "again\n");
}

TEST_F(LimitsTest, ALargeValueAndALargeErrorAreCut) {
  const auto run = open();
  auto outcome = run->run("'x' * 1_000_000");
  EXPECT_LE(outcome.value.value_or("").size(), 8u * 1024 + 64);
  EXPECT_THAT(outcome.value.value_or(""), HasSubstr("cut"));
  outcome = run->run("raise ValueError('x' * 1_000_000)");
  EXPECT_LE(outcome.error.value_or("").size(), 8u * 1024);
}

TEST_F(LimitsTest, Disk) {
  const auto run = open();
  run->run("x = 7");
  EXPECT_THAT(run->run("f = open('big', 'wb')\nwhile True: f.write(b'x' * 100_000)").error.value_or(""),
              HasSubstr("disk limit of 4 MiB"));
  EXPECT_THAT(
      run->run("for i in range(100):\n    with open(f'f{i}', 'wb') as f: f.write(b'x' * 1_000_000)").error.value_or(""),
      HasSubstr("disk limit of 4 MiB"));
  EXPECT_EQ(run->run("x").value, "7");
}

TEST_F(LimitsTest, FilesWithoutContentAreCountedToo) {
  const auto run = open();
  auto outcome = run->run("import os\ni = 0\nwhile True:\n    os.mkdir(f'd{i}')\n    i += 1");
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("4096 files"));
  EXPECT_TRUE(outcome.lost);
  outcome = run->run("import os\nfor i in range(5000): os.mkdir(f'd{i}')");  // done before anybody looked
  EXPECT_THAT(outcome.error.value_or(""), HasSubstr("4096 files"));
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, OpenFiles) {
  const auto run = open();
  EXPECT_THAT(run->run("l = []\nwhile True: l.append(open('/dev/null'))").error.value_or(""),
              HasSubstr("limit of 64 open files"));
  EXPECT_EQ(run->run("l = None\n1").value, "1");
}

TEST_F(LimitsTest, TheCodeItself) {
  limits.code_bytes_max = 1000;
  const auto run = open();
  EXPECT_THAT(run->run("x = '" + std::string(2000, 'y') + "'").error.value_or(""),
              StartsWith("code limit of 1000 bytes"));
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(LimitsTest, LimitsCannotBeRaised) {
  const auto run = open();
  const auto outcome = run->run(
      "import resource\nfor r in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, "
      "resource.RLIMIT_FSIZE):\n"
      "    try:\n        resource.setrlimit(r, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n        "
      "print('raised', r)\n"
      "    except (ValueError, PermissionError): pass");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.printed, "");
}

}  // namespace
}  // namespace braidlog::sandbox
