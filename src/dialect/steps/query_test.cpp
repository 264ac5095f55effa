// GET and POST /sessions/{id}/stream, as long as nobody comes back: what starts a run, and what does not.
#include "dialect/testing/steps_fixture.h"

namespace braidlog::steps {
namespace {

class StepsQuery : public StepsFixture {
 protected:
  OpenStream link(const std::string& query, Headers headers = {}) {
    return stream(call(Method::kGet, path + "?query=" + query, {}, std::move(headers)));
  }
  OpenStream posted(std::string body, Headers headers = {}) {
    return stream(call(Method::kPost, path, std::move(body), std::move(headers)));
  }
};

TEST_F(StepsQuery, StartsARunThatTakesSteps) {
  for (const bool by_link : {true, false}) {
    const auto shown = by_link ? link("List+S3%20buckets") : posted(R"({"query":"List S3 buckets"})");
    EXPECT_EQ(shown.run_id, run_id);
    EXPECT_EQ(shown.contract, "steps");
    EXPECT_EQ(shown.after, std::nullopt);
    EXPECT_EQ(shown.role, ViewerRole::kViewer) << "the run goes on without its client";
    EXPECT_EQ(command().session_id, session_id);
    EXPECT_FALSE(command().else_new);
    EXPECT_EQ(command().contract, "steps");
    EXPECT_EQ(command().way, Way::kSteps);
    EXPECT_EQ(command().text, "List S3 buckets");
    EXPECT_EQ(command().agent, "") << "the session's, else the contract's own";
    EXPECT_EQ(command().context, std::nullopt);
    EXPECT_EQ(command().title, "");
    EXPECT_FALSE(command().waits || command().stops_with_client);
    EXPECT_EQ(command().attaches, by_link) << "only a browser sends the same again by itself";
  }
}

TEST_F(StepsQuery, TheSessionInEverySpelling) {
  for (const std::string& id : {to_uuid(session_id), to_ulid(session_id), to_prefixed(session_id)}) {
    stream(call(Method::kGet, "/sessions/" + id + "/stream?query=x"));
    EXPECT_EQ(command().session_id, session_id);
  }
}

TEST_F(StepsQuery, MissingOrBlankIsToldInTheContractsWords) {
  const std::string targets[] = {path,
                                 path + "?",
                                 path + "?query",
                                 path + "?query=",
                                 path + "?query=+%0A%E3%80%80",
                                 path + "?Query=x",
                                 path + "?message=x"};
  for (const auto& target : targets) EXPECT_EQ(error_of(get(target)), "400 Query parameter is required") << target;
  for (const char* body : {"", "{}", R"({"query":null})", R"({"query":""})", R"({"query":" \n\u3000"})"}) {
    EXPECT_EQ(error_of(post(path, body)), "400 Query parameter is required") << body;
  }
  EXPECT_EQ(error_of(post(path + "?query=x", "{}")), "400 Query parameter is required") << "a POST has it in its body";
  EXPECT_EQ(get(path).body, R"({"error":"Query parameter is required"})");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(StepsQuery, RefusesWhatIsNoQuery) {
  const std::string too_long(32 * 1024 + 1, 'x');
  for (const auto& body : {std::string("nope"), std::string("[]"), std::string("null"), std::string(R"({"query":1})"),
                           std::string(R"({"query":["x"]})"), std::string(R"({"query":"a\u0000b"})"),
                           std::string(R"({"query":"\ud800"})"), std::string("{\"query\":\"\xc3\"}"),
                           std::string(R"({"query":"a","query":"b"})"), "{\"query\":\"" + too_long + "\"}"}) {
    const auto response = post(path, body);
    EXPECT_EQ(response.status, 400) << body.substr(0, 80);
    EXPECT_NE(error_of(response), "400 without an error") << body.substr(0, 80);
  }
  EXPECT_EQ(get(path + "?query=" + too_long).status, 400);
  EXPECT_EQ(get(path + "?query=a%00b").status, 400);
  EXPECT_EQ(get(path + "?query=%ff").status, 400);
  EXPECT_EQ(service.asked_count(), 0u);
  posted("{\"query\":\"" + std::string(32 * 1024, 'x') + "\"}");
  EXPECT_EQ(command().text.size(), 32u * 1024);
}

TEST_F(StepsQuery, TheQueryComesBeforeTheSession) {
  EXPECT_EQ(error_of(get("/sessions/nope/stream")), "400 Query parameter is required");
  EXPECT_EQ(error_of(post("/sessions/nope/stream", "{}")), "400 Query parameter is required");
  for (const char* id : {"nope", "invalid-id", "550e8400-e29b-41d4-a716-44665544000", "..%2f..%2fetc"}) {
    EXPECT_EQ(error_of(get("/sessions/" + std::string(id) + "/stream?query=test")), "404 Session not found") << id;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(StepsQuery, WhatTheServiceRefuses) {
  const std::pair<Error, const char*> rows[] = {
      {{ErrorCode::kSessionNotFound, "There is none", ""}, "404 Session not found"},
      {{ErrorCode::kActiveRunExists, "The session has a run", kRun}, "409 Session already has an active run"},
      {{ErrorCode::kIdempotencyConflict, "", ""}, "409 The idempotency key was used for another request"},
      {{ErrorCode::kAgentNotFound, "There is no agent named x", ""}, "404 There is no agent named x"},
      {{ErrorCode::kRateLimited, "Too many runs", "7"}, "429 Too many runs"},
      {{ErrorCode::kUnavailable, "The server is stopping", ""}, "503 The server is stopping"},
      {{ErrorCode::kStorage, "/srv/data: disk full", ""}, "503 The server cannot do this now; try again later"}};
  for (const auto& [error, told] : rows) {
    service.reply<api::StartRun>(fail(error));
    EXPECT_EQ(error_of(get(path + "?query=x")), told);
    EXPECT_EQ(error_of(post(path, R"({"query":"x"})")), told);
  }
}

TEST_F(StepsQuery, AKeyStandsForPathAndText) {
  link("x");
  EXPECT_EQ(command().idempotency_key, "");
  EXPECT_EQ(command().fingerprint, "");
  const Headers key{{"Idempotency-Key", "once"}};
  link("x", key);
  EXPECT_EQ(command().idempotency_key, "once");
  const std::string fingerprint = command().fingerprint;
  EXPECT_NE(fingerprint, "");
  posted(R"({"query":"x"})", key);
  EXPECT_EQ(command().fingerprint, fingerprint) << "the path is the same";
  stream(call(Method::kGet, "/sessions/" + to_ulid(session_id) + "/stream?query=x", {}, key));
  EXPECT_EQ(command().fingerprint, fingerprint) << "in every spelling of the id";
  link("y", key);
  EXPECT_NE(command().fingerprint, fingerprint);
  for (const std::string& bad : {std::string(), std::string(256, 'k')}) {
    EXPECT_EQ(get(path + "?query=x", {{"Idempotency-Key", bad}}).status, 400);
  }
}

TEST_F(StepsQuery, ARunThatWasThereIsShownFromItsStart) {
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  const auto shown = link("x", {{"Idempotency-Key", "once"}});
  EXPECT_EQ(shown.run_id, run_id);
  EXPECT_EQ(shown.after, std::nullopt);
  EXPECT_EQ(shown.role, ViewerRole::kViewer);
}

}  // namespace
}  // namespace braidlog::steps
