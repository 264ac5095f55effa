#include "dialect/tasks/errors.h"

#include <map>

#include "dialect/testing/tasks_fixture.h"

namespace braidlog::tasks {
namespace {

class TasksErrors : public TasksFixture {
 protected:
  std::string told(ErrorCode code, std::string message = "x") {
    return error_of(dialect.error({code, std::move(message), "7"}, {}));
  }
};

TEST_F(TasksErrors, TheShape) {
  const auto response = error_response({ErrorCode::kTaskNotFound, "Task not found", ""});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body,
            R"({"error":"Task not found","code":"NOT_FOUND","message":"Task not found","detail":"Task not found"})");
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
}

TEST_F(TasksErrors, StatusAndCodeBelongTogether) {
  const std::map<std::string, int> kStatus{{"NOT_FOUND", 404},    {"METHOD_NOT_ALLOWED", 405}, {"CONFLICT", 409},
                                           {"GONE", 410},         {"UNAUTHORIZED", 401},       {"FORBIDDEN", 403},
                                           {"RATE_LIMITED", 429}, {"UNAVAILABLE", 503},        {"INTERNAL_ERROR", 500}};
  for (const auto code : testing::kEveryErrorCode) {
    const auto response = dialect.error({code, "\xff", "7"}, {});
    const auto text = error_of(response);
    ASSERT_EQ(text.find("without"), std::string::npos) << name_of(code);
    const auto word = text.substr(4, text.find(' ', 4) - 4);
    if (word == "VALIDATION_ERROR") {
      EXPECT_TRUE(response.status == 422 || response.status == 408) << name_of(code);
    } else if (word == "PAYLOAD_TOO_LARGE") {
      EXPECT_TRUE(response.status == 413 || response.status == 431) << name_of(code);
    } else {
      ASSERT_TRUE(kStatus.contains(word)) << word;
      EXPECT_EQ(response.status, kStatus.at(word)) << name_of(code);
    }
    const bool may_retry = response.status == 429 || response.status == 503;
    EXPECT_EQ(header(response, "Retry-After"), may_retry ? "7" : "(none)") << name_of(code);
  }
}

TEST_F(TasksErrors, WhatTheCallerGotWrongIs422) {
  EXPECT_EQ(told(ErrorCode::kBadField), "422 VALIDATION_ERROR x");
  EXPECT_EQ(told(ErrorCode::kMalformed), "422 VALIDATION_ERROR x");
  EXPECT_EQ(told(ErrorCode::kTooLarge), "413 PAYLOAD_TOO_LARGE x");
  EXPECT_EQ(told(ErrorCode::kNoPendingTask), "409 CONFLICT x");
  EXPECT_EQ(told(ErrorCode::kNoPendingTask, ""), "409 CONFLICT The session has no pending task");
  EXPECT_EQ(told(ErrorCode::kActiveRunExists), "409 CONFLICT x");
  EXPECT_EQ(told(ErrorCode::kIdempotencyConflict), "409 CONFLICT x");
  EXPECT_EQ(told(ErrorCode::kGone), "410 GONE x");
  EXPECT_EQ(header(dialect.error({ErrorCode::kMethodNotAllowed, "", "GET, HEAD"}, {}), "Allow"), "GET, HEAD");
}

TEST_F(TasksErrors, NothingOfTheInsideIsShown) {
  EXPECT_EQ(told(ErrorCode::kInternal, "SELECT * FROM /home"),
            "500 INTERNAL_ERROR Something went wrong inside the server");
  EXPECT_EQ(told(ErrorCode::kStorage, "SQLITE_IOERR").find("SQLITE"), std::string::npos);
}

TEST_F(TasksErrors, WhosePathsTheseAre) {
  for (const char* own : {"/sessions/x/chat", "/sessions/x/execute", "/sessions/x/tasks", "/sessions/x/tasks/",
                          "/sessions/x/tasks/y", "/sessions/x/artifacts/y/download", "/sessions/x/data-items",
                          "/sessions/x/artifacts/y/z/w", "/sessions//chat"}) {
    EXPECT_TRUE(dialect.owns_path(own)) << own;
  }
  for (const char* other : {"/", "/sessions", "/sessions/", "/sessions/x", "/sessions/chat", "/sessions/x/stream",
                            "/sessions/x/interrupt", "/sessions/x/steps", "/sessions/x/tokens", "/sessions/x/tasksy",
                            "/api/v1/sessions/x/tasks", "/session/x/tasks"}) {
    EXPECT_FALSE(dialect.owns_path(other)) << other;
  }
  for (const Route& route : dialect.routes()) EXPECT_TRUE(dialect.owns_path(route.pattern)) << route.pattern;
}

TEST_F(TasksErrors, TheDialect) {
  EXPECT_EQ(dialect.name(), "tasks");
  EXPECT_NE(dialect.make_projection(run_id), nullptr);
  EXPECT_EQ(dialect.routes().size(), 10u);
  for (const Route& route : dialect.routes()) {
    EXPECT_EQ(route.access, Access::kUser) << route.pattern;
    EXPECT_EQ(route.streams, route.method == Method::kPost) << route.pattern;
    EXPECT_EQ(route.starts_run, route.method == Method::kPost) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog::tasks
