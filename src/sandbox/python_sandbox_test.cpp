// What code can do: values, output, errors, tools, the final answer. On the real bubblewrap and the real Python.
#include "sandbox/python_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "sandbox/testing/code_runner.h"

namespace braidlog::sandbox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SandboxTest;
using ::testing::StartsWith;

const CodeFunction kAdd{
    "add", "Adds two numbers.",
    R"({"type":"object","properties":{"zeta":{"type":"number"},"alpha":{"type":"number"}},"required":["zeta"]})"};

TEST_F(SandboxTest, ValueAndOutputOfTheCode) {
  const auto run = open();
  auto outcome = run->run("import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('three', end='')\n6 * 7");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.printed, "one\ntwo\nthree");
  EXPECT_EQ(outcome.value, "42");
  EXPECT_FALSE(outcome.lost || outcome.unavailable || outcome.final);

  outcome = run->run("x = 3");
  EXPECT_EQ(outcome.value, std::nullopt);
  EXPECT_EQ(outcome.printed, "");
  EXPECT_EQ(run->run("None").value, std::nullopt);
  EXPECT_EQ(run->run("'a\\u00e9'").value, "'aé'");
  EXPECT_EQ(run->run("").error, std::nullopt);
}

TEST_F(SandboxTest, VariablesFunctionsAndImportsStay) {
  const auto run = open();
  EXPECT_EQ(run->run("import math\nx = 20\ndef twice(n):\n    return 2 * n").error, std::nullopt);
  EXPECT_EQ(run->run("twice(x) + math.floor(2.5)").value, "42");
  EXPECT_EQ(run->run("class P:\n    def __repr__(self): return 'a P'\nP()").value, "a P");
  EXPECT_EQ(run->run("import dataclasses\n@dataclasses.dataclass\nclass D:\n    n: int\nD(3)").value, "D(n=3)");
}

TEST_F(SandboxTest, AnErrorNamesTheLineAndNothingOfTheHost) {
  const auto run = open();
  run->run("def broken(n):\n    return 1 / n");
  const auto outcome = run->run("print('before')\nx = 1\nbroken(0)");
  EXPECT_EQ(outcome.printed, "before\n");
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(*outcome.error, HasSubstr("File \"<code 2>\", line 3"));
  EXPECT_THAT(*outcome.error, HasSubstr("File \"<code 1>\", line 2, in broken"));
  EXPECT_THAT(*outcome.error, HasSubstr("return 1 / n"));
  EXPECT_THAT(*outcome.error, HasSubstr("ZeroDivisionError: division by zero"));
  EXPECT_THAT(*outcome.error, Not(HasSubstr("runner")));
  EXPECT_FALSE(outcome.lost);
  EXPECT_EQ(run->run("x").value, "1");  // what ran before the error has happened
}

TEST_F(SandboxTest, ErrorsInsideOfLibrariesShowTheCodeOnly) {
  const auto run = open();
  const auto outcome = run->run("import json\njson.loads('{')");
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(*outcome.error, HasSubstr("<code 1>"));
  EXPECT_THAT(*outcome.error, HasSubstr("JSONDecodeError"));
  EXPECT_THAT(*outcome.error, Not(HasSubstr("/usr/")));
}

TEST_F(SandboxTest, SyntaxErrorsRunNothing) {
  const auto run = open();
  const auto outcome = run->run("x = 1\nprint('ran')\nif :\n");
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(*outcome.error, HasSubstr("line 3"));
  EXPECT_THAT(*outcome.error, HasSubstr("SyntaxError"));
  EXPECT_EQ(outcome.printed, "");
  EXPECT_THAT(*run->run("x").error, HasSubstr("NameError"));
}

TEST_F(SandboxTest, ToolsAreFunctions) {
  const auto run = open({kAdd});
  run->answer = [](const std::string&, const json::object& args) {
    return CodeAnswer{{{"sum", args.at("zeta").as_int64() + args.at("alpha").as_int64()}, {"list", {1, "é", nullptr}}}};
  };
  auto outcome = run->run("a = add(1, 2)\nb = add(zeta=3, alpha=4)\nc = add(5, alpha=6)\n[a['sum'], b['sum'], c]");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.value, "[3, 7, {'sum': 11, 'list': [1, 'é', None]}]");
  ASSERT_EQ(run->calls.size(), 3u);
  EXPECT_EQ(run->calls[0].first, "add");
  EXPECT_EQ(to_json(run->calls[2].second), R"({"zeta":5,"alpha":6})");
  EXPECT_EQ(run->run("add.__doc__").value, "'Adds two numbers.'");
}

TEST_F(SandboxTest, WrongArgumentsAreErrorsOfTheCode) {
  const auto run = open({kAdd});
  EXPECT_THAT(*run->run("add(1, 2, 3)").error, HasSubstr("TypeError: add() takes at most 2 arguments (3 were given)"));
  EXPECT_THAT(*run->run("add(1, zeta=3)").error, HasSubstr("got two values for 'zeta'"));
  EXPECT_THAT(*run->run("add(object())").error, HasSubstr("type object is not JSON"));
  EXPECT_THAT(*run->run("add(float('nan'))").error, HasSubstr("nan is not a JSON number"));
  EXPECT_THAT(*run->run("x = []\nfor i in range(50): x = [x]\nadd(x)").error, HasSubstr("nested deeper"));
  EXPECT_THAT(*run->run("add('x' * 3_000_000)").error, HasSubstr("larger than"));
  EXPECT_TRUE(run->calls.empty());
  EXPECT_EQ(run->run("1").value, "1");
}

TEST_F(SandboxTest, AToolThatFailsRaisesToolError) {
  const auto run = open({kAdd});
  run->answer = [](const std::string&, const json::object&) { return CodeAnswer{nullptr, "rejected by the user"}; };
  EXPECT_EQ(run->run("try:\n    add(1)\nexcept ToolError as e:\n    x = str(e)\nx").value, "'rejected by the user'");
  EXPECT_THAT(*run->run("add(1)").error, HasSubstr("ToolError: rejected by the user"));
}

TEST_F(SandboxTest, OneCallAtATimeFromThreadsToo) {
  const auto run = open({kAdd});
  run->answer = [](const std::string&, const json::object& args) { return CodeAnswer{args.at("zeta")}; };
  const auto outcome = run->run(
      "from concurrent.futures import ThreadPoolExecutor\n"
      "with ThreadPoolExecutor(5) as pool: x = sorted(pool.map(add, range(20)))\nx == list(range(20))");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.value, "True");
  EXPECT_EQ(run->calls.size(), 20u);
}

TEST_F(SandboxTest, FinalAnswerEndsTheCode) {
  const auto run = open();
  auto outcome = run->run(
      "print('a')\ntry:\n    final_answer({'n': 1, 'l': (1, 2.5), 's': 'é'})\nexcept Exception:\n    "
      "print('b')\nprint('c')");
  EXPECT_EQ(outcome.error, std::nullopt);
  EXPECT_EQ(outcome.printed, "a\n");
  ASSERT_TRUE(outcome.final);
  EXPECT_EQ(to_json(*outcome.final), R"({"n":1,"l":[1,2.5],"s":"é"})");
  EXPECT_EQ(outcome.value, std::nullopt);
}

TEST_F(SandboxTest, FinalAnswersThatAreNoJson) {
  const auto run = open();
  const auto answer = [&](const std::string& code) {
    const auto outcome = run->run("import datetime, decimal\nfinal_answer(" + code + ")");
    return outcome.final ? to_json(*outcome.final) : "none: " + outcome.error.value_or("");
  };
  EXPECT_EQ(answer("None"), "null");
  EXPECT_EQ(answer("float('nan')"), R"("nan")");
  EXPECT_EQ(answer("[float('inf'), -float('inf')]"), R"(["inf","-inf"])");
  EXPECT_EQ(answer("2**100"), R"("1267650600228229401496703205376")");
  EXPECT_EQ(answer("datetime.date(2026, 2, 14)"), R"("2026-02-14")");
  EXPECT_EQ(answer("decimal.Decimal('1.10')"), R"("1.10")");
  EXPECT_EQ(answer("{1: 'a', (2, 3): 'b'}"), R"x({"1":"a","(2, 3)":"b"})x");
  EXPECT_EQ(answer("'\\ud800x'"), R"("?x")");
  EXPECT_THAT(answer("'x' * 3_000_000"), HasSubstr("larger than"));
  EXPECT_EQ(answer("42"), "42");
}

TEST_F(SandboxTest, AFinalAnswerThatIsSwallowedCounts) {
  const auto run = open();
  const auto outcome = run->run("try:\n    final_answer(1)\nexcept BaseException:\n    pass\n2");
  ASSERT_TRUE(outcome.final);
  EXPECT_EQ(to_json(*outcome.final), "1");
  EXPECT_FALSE(run->run("2").final);  // and only for the code that gave it
}

TEST_F(SandboxTest, ExitEndsTheCodeNotTheProcess) {
  const auto run = open();
  EXPECT_EQ(run->run("x = 1\nimport sys\nsys.exit()").error, std::nullopt);
  EXPECT_EQ(run->run("sys.exit('no')").error, "SystemExit: no");
  EXPECT_EQ(run->run("exit()").error, std::nullopt);
  EXPECT_EQ(run->run("x").value, "1");
}

TEST_F(SandboxTest, AsyncioThreadsAndFilesWork) {
  const auto run = open();
  EXPECT_EQ(
      run->run("import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5\nasyncio.run(f())").value,
      "5");
  EXPECT_EQ(
      run->run("import threading\nx = []\nt = threading.Thread(target=lambda: x.append(1))\nt.start(); t.join()\nx")
          .value,
      "[1]");
  EXPECT_EQ(run->run("open('/tmp/a.csv', 'w').write('1,2')\nimport csv\nlist(csv.reader(open('a.csv')))").value,
            "[['1', '2']]");
  EXPECT_EQ(run->run("import shutil\nshutil.copy2('a.csv', 'b.csv')\nimport os\nsorted(os.listdir())").value,
            "['a.csv', 'b.csv']");
  EXPECT_EQ(run->run("import sqlite3\nsqlite3.connect('d.sqlite').execute('select 1+1').fetchone()").value, "(2,)");
  EXPECT_EQ(run->run("import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x')").error, std::nullopt);
}

TEST_F(SandboxTest, SessionsShareNothing) {
  const auto one = open();
  const auto two = open();
  one->run("x = 1\nopen('file', 'w').write('secret')");
  EXPECT_THAT(*two->run("x").error, HasSubstr("NameError"));
  EXPECT_THAT(*two->run("open('file')").error, HasSubstr("FileNotFoundError"));
}

TEST_F(SandboxTest, BrokenBytesBecomeText) {
  const auto run = open();
  const auto outcome =
      run->run("import os, sys\nos.write(1, b'a\\xff\\xfeb')\nsys.stdout.buffer.write(b'\\xc3\\n')\nprint('\\ud800')");
  EXPECT_TRUE(is_valid_utf8(outcome.printed));
  EXPECT_EQ(outcome.printed,
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b\xef\xbf\xbd\n\\ud800\n");
}

}  // namespace
}  // namespace braidlog::sandbox
