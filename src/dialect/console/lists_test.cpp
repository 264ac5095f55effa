// GET /console/runs, /console/agents and /console/system.
#include "dialect/contracts.h"
#include "dialect/testing/console_fixture.h"

namespace braidlog::console {
namespace {

class ConsoleLists : public ConsoleFixture {
 protected:
  api::FoundRun found(RunStatus status) const {
    api::FoundRun one{run(status), "A title", "What was \"asked\""};
    one.run.user_id = "usr_1";
    one.run.agent = "writer";
    one.run.contract = "runs";
    return one;
  }
};

TEST_F(ConsoleLists, ARunInTheList) {
  api::FoundRun done = found(RunStatus::kFailed);
  done.run.started_at = WallTime{1'771'102'980'000};
  done.run.ended_at = WallTime{1'771'102'981'500};
  done.run.usage = Usage{.input_tokens = 3, .output_tokens = 4};
  done.run.failure = FailureCode::kInternal;
  done.run.failure_message = "broken";
  done.run.replayable = false;
  service.reply<api::FindRuns>(api::FoundRuns{{found(RunStatus::kRunning), done}, run_id});
  const auto response = get("/console/runs");
  EXPECT_EQ(response.status, 200);
  const auto body = parse_json(response.body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->at("next").as_string(), kRun);
  const auto& live = body->at("items").at(0);
  EXPECT_EQ(to_json(live),
            R"({"run_id":"run_01KHF0000070008000000000R1","session_id":"sess_01KHF0000070008000000000S1",)"
            R"("session_title":"A title","user_id":"usr_1","agent":"writer","contract":"runs","status":"running",)"
            R"("created_at":"2026-02-14T21:03:00.000Z","started_at":null,"ended_at":null,"duration_ms":null,)"
            R"("usage":null,"error":null,"events":9,"replayable":true,"text":"What was \"asked\""})");
  const auto& over = body->at("items").at(1);
  EXPECT_EQ(over.at("duration_ms").as_int64(), 1500);
  EXPECT_EQ(to_json(over.at("usage")), R"({"input_tokens":3,"output_tokens":4,"total_tokens":7})");
  EXPECT_EQ(over.at("error").at("message").as_string(), "broken");
  EXPECT_FALSE(over.at("replayable").as_bool());

  service.reply<api::FindRuns>(api::FoundRuns{});
  EXPECT_EQ(get("/console/runs").body, R"({"items":[],"next":null})");
}

TEST_F(ConsoleLists, WhatIsLookedFor) {
  service.reply<api::FindRuns>(api::FoundRuns{});
  get("/console/runs");
  EXPECT_EQ(query().words, "");
  EXPECT_EQ(query().limit, 50u);
  EXPECT_FALSE(query().everybody);
  EXPECT_FALSE(query().status || query().before || query().session_id);
  get("/console/runs?q=a%20b&status=waiting_approval&agent=writer&session_id=" + to_uuid(session_id) +
      "&limit=7&before=" + to_uuid(run_id) + "&scope=all");
  EXPECT_EQ(query().words, "a b");
  EXPECT_EQ(query().status, RunStatus::kWaitingApproval);
  EXPECT_EQ(query().agent, "writer");
  EXPECT_EQ(query().session_id, session_id);
  EXPECT_EQ(query().before, run_id);
  EXPECT_EQ(query().limit, 7u);
  EXPECT_TRUE(query().everybody);
}

TEST_F(ConsoleLists, WhatCannotBeLookedFor) {
  for (const char* bad : {"status=over", "status=", "session_id=x", "before=x", "limit=0", "limit=201", "scope=mine"}) {
    EXPECT_EQ(get("/console/runs?" + std::string(bad)).status, 400) << bad;
  }
  EXPECT_EQ(get("/console/runs?q=" + std::string(257, 'x')).status, 400);
  EXPECT_EQ(get("/console/runs?q=%ff").status, 400);
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ConsoleLists, Agents) {
  api::AgentInfo orders;
  orders.agent.name = "orders";
  orders.agent.version = "v1";
  orders.agent.description = "Knows orders";
  orders.agent.style = api::Style::kCode;
  orders.provider = "openai";
  orders.model = "gpt";
  orders.default_of = {"runs"};
  orders.file = "orders.yaml";
  orders.yaml = "name: orders\n";
  orders.tools = {{"get_order", "Gets it", R"({"type":"object"})", false, true, api::Policy::kAuto},
                  {"drop", "Drops it", "", true, false, api::Policy::kDeny}};
  service.reply<api::ListAgents>(
      api::AgentsInfo{{orders}, {{"bad.yaml", {"bad.yaml:1:1: wrong"}, "bad"}, {"", {"x"}}}});
  EXPECT_EQ(get("/console/agents").body,
            R"({"agents":[{"name":"orders","version":"v1","description":"Knows orders","model":"gpt",)"
            R"("provider":"openai","style":"code","max_steps":12,"planning_interval":3,"default_of":["runs"],)"
            R"("file":"orders.yaml","yaml":"name: orders\n","tools":[{"name":"get_order","description":"Gets it",)"
            R"("parameters":{"type":"object"},"writes":false,"idempotent":true,"policy":"auto"},{"name":"drop",)"
            R"("description":"Drops it","parameters":{"type":"object"},"writes":true,"idempotent":false,)"
            R"("policy":"deny"}]}],"faults":[{"file":"bad.yaml","lines":["bad.yaml:1:1: wrong"],"kept":"bad"},)"
            R"({"file":"","lines":["x"],"kept":null}]})");
  EXPECT_EQ(service.asked<api::ListAgents>().at(0).contracts,
            std::vector<std::string>(kContracts.begin(), kContracts.end()));

  api::AgentInfo own;
  service.reply<api::ListAgents>(api::AgentsInfo{{own}});
  const auto body = parse_json(get("/console/agents").body);
  EXPECT_TRUE(body->at("agents").at(0).at("file").is_null());
  EXPECT_TRUE(body->at("agents").at(0).at("yaml").is_null());
}

TEST_F(ConsoleLists, System) {
  api::ServerFigures now;
  now.at = {1'771'102'980'000};
  now.version = "1.2.3";
  now.uptime_seconds = 5;
  now.runs_open = 2;
  now.store.commits_total = 9;
  now.store.events_total = 40;
  now.store.runs_failed_total = 1;
  now.store.commit_buckets = {{100, 4}, {250, 7}};
  service.reply<api::GetSystem>(now);
  EXPECT_EQ(get("/console/system").body,
            R"({"at":"2026-02-14T21:03:00.000Z","version":"1.2.3","uptime_seconds":5,"draining":false,)"
            R"("store_healthy":true,"runs_open":2,"streams_open":0,"connections_open":0,"requests_total":0,)"
            R"("bad_requests_total":0,"streams_stalled_total":0,"sent_bytes_total":0,"events_total":40,)"
            R"("commits_total":9,"runs_completed_total":0,"runs_failed_total":1,"runs_interrupted_total":0,)"
            R"("resident_bytes":0,"commit_us":[{"le":100,"count":4},{"le":250,"count":7},{"le":null,"count":9}]})");
}

TEST_F(ConsoleLists, EveryErrorHasTheOneShape) {
  for (const auto code : testing::kEveryErrorCode) {
    const auto response = dialect.error({code, "words", "subject"}, {});
    EXPECT_GE(response.status, 400);
    EXPECT_NE(error_of(response).find(' '), std::string::npos);
  }
  EXPECT_TRUE(dialect.owns_path("/console/nothing"));
  EXPECT_TRUE(dialect.owns_path("/console"));
  EXPECT_FALSE(dialect.owns_path("/consoles"));
}

}  // namespace
}  // namespace braidlog::console
