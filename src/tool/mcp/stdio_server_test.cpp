// MCP servers that are programs, with a fake one that does everything wrong a server can do.
#include <signal.h>

#include <algorithm>

#include "base/utf8.h"
#include "tool/mcp/testing/mcp_fixture.h"

namespace braidlog::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::eventually;
using testing::PendingTool;

class StdioServerTest : public testing::McpTest {};

TEST_F(StdioServerTest, ListsAndCallsInTheLegacyEra) {
  auto entry = fake({"--pages", "4"});
  entry.reads = {"echo"};
  const auto server = start(entry);
  EXPECT_EQ(server->trouble(), "");
  EXPECT_EQ(server->tools().size(), 15U) << "over several pages";
  const auto echo = tool(*server, "fake__echo");
  EXPECT_FALSE(echo->spec().writes) << "the operator says so";
  EXPECT_TRUE(tool(*server, "fake__fail")->spec().writes) << "the server's own hint says nothing";
  EXPECT_EQ(echo->spec().description, "The tool echo");
  EXPECT_EQ(echo->spec().version.size(), 32U);
  EXPECT_GT(echo->spec().timeout, limits_.mcp_call_time_max);
  EXPECT_FALSE(echo->check(json::object{{"text", 5}}));
  EXPECT_FALSE(echo->check(json::object{}));

  const auto outcome = call(*server, "fake__echo", R"({"text":"hé"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, "echo: hé");
  EXPECT_EQ(outcome.value, "echo: hé");
  EXPECT_TRUE(eventually([&] { return changes_ == 1; })) << "none, then these";
}

TEST_F(StdioServerTest, SpeaksTheModernEra) {
  const auto server = start(fake({"--era", "modern"}));
  EXPECT_EQ(call(*server, "fake__echo", R"({"text":"new"})").text, "echo: new");
  EXPECT_EQ(call(*server, "fake__structured").value, (json::object{{"n", 5}}));
  const auto asked = call(*server, "fake__ask");
  EXPECT_EQ(asked.status, ToolStatus::kToolError);
  EXPECT_NE(asked.text.find("elicitation/create"), std::string::npos) << asked.text;
}

TEST_F(StdioServerTest, ResultsOfEveryKind) {
  const auto server = start(fake());
  EXPECT_EQ(call(*server, "fake__structured").value, (json::object{{"n", 5}}));
  const auto bad = call(*server, "fake__bad_structured");
  EXPECT_EQ(bad.status, ToolStatus::kToolError);
  EXPECT_NE(bad.text.find("output schema"), std::string::npos) << bad.text;
  const auto failed = call(*server, "fake__fail");
  EXPECT_EQ(failed.status, ToolStatus::kToolError);
  EXPECT_EQ(failed.text, "no such order");
  const auto refused = call(*server, "fake__refuse");
  EXPECT_EQ(refused.status, ToolStatus::kToolError);
  EXPECT_EQ(refused.text, "MCP server fake refused the call: Tool refuse not found (-32602)");
  EXPECT_EQ(call(*server, "fake__image").text,
            "Here:\n[image, image/png, 1234 bytes]\n[resource file:///a.txt]\ninside\n[link b: file:///b.txt]");
  const auto odd = server->tools();
  const auto found = std::find_if(odd.begin(), odd.end(),
                                  [](const auto& tool) { return tool->spec().name.starts_with("fake__odd_name_"); });
  ASSERT_NE(found, odd.end()) << "spelled so that providers take it";
  EXPECT_EQ(PendingTool(loop_, *found, "{}").wait().text, "odd indeed");
}

TEST_F(StdioServerTest, OnlyTheToolsThatTheOperatorWants) {
  auto entry = fake();
  entry.tools = {"echo", "fail", "no_such_tool"};
  const auto server = start(entry);
  ASSERT_EQ(server->tools().size(), 2U);
  EXPECT_EQ(server->tools()[0]->spec().name, "fake__echo");
}

TEST_F(StdioServerTest, NoiseOnBothPipesDoesNoHarm) {
  const auto server = start(fake({"--noise"}));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(call(*server, "fake__echo", R"({"text":"x"})").text, "echo: x");
}

TEST_F(StdioServerTest, AServerThatIsSilentIsGivenUp) {
  limits_.mcp_start_timeout = milliseconds(300);
  const auto before = steady_clock::now();
  const auto server = start(fake({"--silent"}));
  EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(5));
  EXPECT_TRUE(server->tools().empty());
  EXPECT_EQ(server->trouble(), "MCP server fake did not get ready within 300 ms");
}

TEST_F(StdioServerTest, ALegacyServerThatIgnoresWhatItDoesNotKnow) {
  limits_.mcp_start_timeout = milliseconds(6'000);
  const auto server = start(fake({"--era", "mute"}));
  EXPECT_EQ(call(*server, "fake__echo", R"({"text":"x"})").text, "echo: x");
}

TEST_F(StdioServerTest, AServerThatCannotBeStarted) {
  auto missing = fake();
  missing.command = {"no-such-program-anywhere"};
  EXPECT_EQ(start(missing)->trouble(), "MCP server fake there is no program \"no-such-program-anywhere\" in the PATH");
  const auto fallen = start(fake({"--die-at-start"}));
  EXPECT_EQ(fallen->trouble(), "MCP server fake ended with status 1: cannot find my configuration");
  EXPECT_TRUE(fallen->tools().empty());

  auto unset = fake();
  unset.env = {"NO_SUCH_VARIABLE"};
  const auto made = servers().make(unset, [] {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kBadField);
}

TEST_F(StdioServerTest, ACrashInMidCall) {
  auto entry = fake();
  const auto writes = start(entry);
  const auto unknown = call(*writes, "fake__crash");
  EXPECT_EQ(unknown.status, ToolStatus::kOutcomeUnknown);
  EXPECT_EQ(unknown.text.find("fall"), std::string::npos) << "nothing of its output: " << unknown.text;
  EXPECT_TRUE(eventually([&] { return !writes->trouble().empty() || count_marks("start") == 2; }));
  EXPECT_FALSE(writes->tools().empty()) << "a server that fell keeps its tools";
  // The next call brings it back at once.
  EXPECT_EQ(call(*writes, "fake__echo", R"({"text":"again"})").text, "echo: again");
  EXPECT_EQ(writes->trouble(), "");
  EXPECT_EQ(count_marks("start"), 2U);

  entry.name = "reader";
  entry.reads = {"crash"};
  const auto reads = start(entry);
  EXPECT_EQ(call(*reads, "reader__crash").status, ToolStatus::kToolError);
}

TEST_F(StdioServerTest, ItComesBackByItself) {
  const auto server = start(fake());
  call(*server, "fake__crash");
  EXPECT_TRUE(eventually([&] { return count_marks("start") == 2 && server->trouble().empty(); }));
  EXPECT_EQ(changes_, 1) << "its tools are the same as before";
}

TEST_F(StdioServerTest, TenMegabytesArriveAndMoreIsOneCallsError) {
  limits_.mcp_message_bytes_max = 11 * 1024 * 1024;
  const auto server = start(fake());
  const auto large = call(*server, "fake__big", R"({"bytes":10000000})");
  EXPECT_EQ(large.status, ToolStatus::kOk);
  EXPECT_EQ(large.text.size(), 10'000'000U);
  const auto slow = PendingTool(loop_, tool(*server, "fake__slow"), R"({"seconds":2})");
  const auto over = call(*server, "fake__big", R"({"bytes":12000000})");
  EXPECT_EQ(over.status, ToolStatus::kToolError);
  EXPECT_NE(over.text.find("larger"), std::string::npos) << over.text;
  EXPECT_EQ(const_cast<PendingTool&>(slow).wait().text, "slept") << "the others do not notice";
  EXPECT_EQ(count_marks("start"), 1U);
}

TEST_F(StdioServerTest, ProgressExtendsTheTimeOfACallButNotForEver) {
  limits_.mcp_call_timeout = milliseconds(500);
  limits_.mcp_call_time_max = milliseconds(3'000);
  auto entry = fake();
  entry.reads = {"slow"};
  const auto server = start(entry);
  EXPECT_EQ(call(*server, "fake__slow", R"({"seconds":1.2,"progress":true})").text, "slept");
  const auto silent = call(*server, "fake__slow", R"({"seconds":20})");
  EXPECT_EQ(silent.status, ToolStatus::kTimeout) << silent.text;
  const auto before = steady_clock::now();
  EXPECT_EQ(call(*server, "fake__slow", R"({"seconds":20,"progress":true})").status, ToolStatus::kTimeout);
  EXPECT_GE(steady_clock::now() - before, milliseconds(2'900));
  EXPECT_TRUE(eventually([&] { return count_marks("cancelled") == 2; })) << "the server is told";
}

TEST_F(StdioServerTest, ATimeoutOfAToolThatWritesIsAnUnknownOutcome) {
  auto entry = fake();
  entry.timeout = milliseconds(200);
  const auto server = start(entry);
  EXPECT_EQ(call(*server, "fake__slow", R"({"seconds":20})").status, ToolStatus::kOutcomeUnknown);
}

TEST_F(StdioServerTest, ACallThatNobodyWaitsForIsCancelledAtTheServer) {
  const auto server = start(fake());
  PendingTool slow(loop_, tool(*server, "fake__slow"), R"({"seconds":20})");
  EXPECT_EQ(call(*server, "fake__echo", R"({"text":"meanwhile"})").text, "echo: meanwhile");
  slow.cancel();
  EXPECT_TRUE(eventually([&] { return count_marks("cancelled") == 1; }));
  EXPECT_EQ(call(*server, "fake__echo", R"({"text":"after"})").text, "echo: after");
}

TEST_F(StdioServerTest, QuestionsOfTheServerAreAnsweredWithNo) {
  const auto server = start(fake({"--ask-early"}));
  const auto asked = call(*server, "fake__ask");
  EXPECT_EQ(asked.status, ToolStatus::kToolError);
  EXPECT_NE(asked.text.find("-32601"), std::string::npos) << asked.text;
  const auto seen = parse_json(call(*server, "fake__seen").text).value();
  EXPECT_EQ(seen.at("answers").at("early").at("error").at("code"), -32601) << "before it was initialized";
  EXPECT_EQ(seen.at("answers").at("alive").at("result"), json::object{});
}

TEST_F(StdioServerTest, AChangeOfItsToolsIsTold) {
  for (const std::string era : {"legacy", "modern"}) {
    changes_ = 0;
    const auto server = start(fake({"--era", era}));
    const auto version = tool(*server, "fake__echo")->spec().version;
    const auto old_tool = tool(*server, "fake__echo");
    ASSERT_TRUE(eventually([&] { return changes_ == 1; }));
    call(*server, "fake__change");
    EXPECT_TRUE(eventually([&] { return changes_ == 2; })) << era;
    EXPECT_NE(tool(*server, "fake__new2"), nullptr);
    EXPECT_NE(tool(*server, "fake__echo")->spec().version, version) << "its schema is another one";
    EXPECT_EQ(old_tool->spec().version, version) << "a run keeps what it began with";
    const auto outcome = PendingTool(loop_, old_tool, R"({"text":"old"})").wait();
    EXPECT_EQ(outcome.status, ToolStatus::kToolError) << "what somebody may have approved was another tool";
    EXPECT_NE(outcome.text.find("was not called"), std::string::npos) << outcome.text;
    EXPECT_EQ(call(*server, "fake__echo", R"({"text":"new"})").text, "echo: new");
  }
}

TEST_F(StdioServerTest, AToolThatOnlyReadsIsCalledAsItIsNow) {
  auto entry = fake({});
  entry.reads = {"echo"};
  const auto server = start(entry);
  const auto old_tool = tool(*server, "fake__echo");
  ASSERT_TRUE(eventually([&] { return changes_ == 1; }));
  call(*server, "fake__change");
  ASSERT_TRUE(eventually([&] { return changes_ == 2; }));
  EXPECT_EQ(PendingTool(loop_, old_tool, R"({"text":"old"})").wait().text, "echo: old");
}

TEST_F(StdioServerTest, ItGetsNothingOfThisProcess) {
  environment_["FAKE_TOKEN"] = "t0ken";
  environment_["SECRET"] = "k3y";
  environment_["LANG"] = "C.UTF-8";
  auto entry = fake();
  entry.env = {"FAKE_TOKEN"};
  const auto server = start(entry);
  const auto given = parse_json(call(*server, "fake__environment").text).value().as_object();
  EXPECT_EQ(given.at("FAKE_TOKEN"), "[secret]") << "it has it, and nobody else is told";
  EXPECT_EQ(given.at("LANG"), "C.UTF-8");
  for (const auto& variable : given) {
    EXPECT_TRUE(variable.key() == "PATH" || variable.key() == "HOME" || variable.key() == "LANG" ||
                variable.key() == "FAKE_TOKEN" || variable.key() == "LC_CTYPE")
        << variable.key();
  }
  const auto other = start(fake());  // the pipes of one are no business of the other
  const auto seen = parse_json(call(*other, "fake__descriptors").text).value();
  EXPECT_EQ(seen.at("group"), true);
  EXPECT_EQ(std::string(seen.at("cwd").as_string()), folder_);
  for (const auto& fd : seen.at("fds").as_object()) {
    const int number = std::stoi(std::string(fd.key()));
    EXPECT_TRUE(number <= 2 || std::string(fd.value().as_string()).starts_with("/proc/")) << fd.key() << fd.value();
  }
}

TEST_F(StdioServerTest, NoPieceOfASecretIsLeftWhereItsWordsAreCut) {
  environment_["FAKE_TOKEN"] = "t0ken-0123456789-0123456789-0123456789";
  auto entry = fake();
  entry.env = {"FAKE_TOKEN"};
  entry.command = {"/bin/sh", "-c", "printf '%0280d %s\\n' 0 $FAKE_TOKEN >&2; exit 1"};
  EXPECT_TRUE(start(entry)->trouble().ends_with("0 [secret]")) << held_.back()->trouble();
  entry.command = {"/bin/sh", "-c", "printf '%0250d %s%05000d\\n' 0 $FAKE_TOKEN 0 >&2; exit 1"};
  EXPECT_EQ(start(entry)->trouble().find("t0k"), std::string::npos) << held_.back()->trouble();

  entry.command = fake().command;
  const auto server = start(entry);
  const auto refused = [&](std::string words) {
    return call(*server, "fake__refuse", to_json(json::object{{"words", std::move(words)}})).text;
  };
  EXPECT_EQ(refused(std::string(1'985, 'x') + environment_["FAKE_TOKEN"]).find("t0k"), std::string::npos);
  std::string accents = "x";
  for (int i = 0; i < 2'000; ++i) accents += "é";
  EXPECT_TRUE(is_valid_utf8(refused(accents)));
  EXPECT_LT(refused(accents).size(), 2'100U);
}

TEST_F(StdioServerTest, AListWithoutMeasureIsCut) {
  const auto server = start(fake({"--bulk", "60", "--pages", "20"}));
  const auto tools = server->tools();
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(tools, [&](const auto& tool) { return tool->spec().name == "fake__" + name; });
  };
  EXPECT_TRUE(has("echo"));
  EXPECT_FALSE(has("huge"));
  EXPECT_TRUE(has("bulk0"));
  EXPECT_TRUE(has("bulk30"));
  EXPECT_FALSE(has("bulk45")) << "over sixteen megabytes";
}

TEST_F(StdioServerTest, NobodyWaitsForAServerOnceAllIsGivenUp) {
  auto silent = fake({"--silent"});
  const auto made = servers().make(silent, [] {}).value();
  std::thread end([&] { servers().give_up(); });
  const auto before = steady_clock::now();
  made->wait_until_ready();
  end.join();
  silent.name = "late";
  servers().make(silent, [] {}).value()->wait_until_ready();
  EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(5));
}

TEST_F(StdioServerTest, TheEndTakesNoLongerThanTwoSecondsAndLeavesNobody) {
  auto stubborn = fake({"--slow-close"});
  start(stubborn);
  stubborn.name = "second";
  start(stubborn);
  start(fake());
  std::vector<pid_t> pids;
  for (const auto& mark : marks()) {
    if (mark.starts_with("start ")) pids.push_back(std::stoi(mark.substr(6)));
  }
  ASSERT_EQ(pids.size(), 3U);
  const auto before = steady_clock::now();
  servers_.reset();  // while the tools are still held
  EXPECT_LT(steady_clock::now() - before, milliseconds(2'100));
  for (const auto pid : pids) EXPECT_NE(::kill(pid, 0), 0) << "neither running nor a zombie";
}

// Gone, or dead and not yet fetched by whoever inherited it.
bool is_dead(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  return stat.empty() || stat.substr(stat.rfind(')') + 2, 1) == "Z";
}

TEST_F(StdioServerTest, WhatItStartedItselfEndsWithIt) {
  auto entry = fake();
  std::string script = "sleep 1000 & echo $! > child; exec";
  for (const auto& word : entry.command) script += " " + word;
  entry.command = {"/bin/sh", "-c", script};
  const auto server = start(entry);
  std::string child;
  std::ifstream(folder_ + "/child") >> child;
  ASSERT_FALSE(is_dead(child));
  call(*server, "fake__crash");
  EXPECT_TRUE(eventually([&] { return is_dead(child); }));
}

TEST_F(StdioServerTest, AServerThatNobodyHoldsIsEnded) {
  auto server = start(fake());
  auto echo = tool(*server, "fake__echo");
  held_.clear();
  server.reset();
  EXPECT_EQ(PendingTool(loop_, echo, R"({"text":"x"})").wait().text, "echo: x") << "a tool holds it too";
  echo.reset();
  EXPECT_TRUE(eventually([&] { return count_marks("closed") == 1; })) << "its stdin was closed";
}

TEST_F(StdioServerTest, AServerThatReadsNothingFillsNoMemory) {
  limits_.mcp_start_timeout = milliseconds(500);
  const auto server = start(fake({"--deaf"}));
  EXPECT_NE(server->trouble(), "");
}

}  // namespace
}  // namespace braidlog::tool
