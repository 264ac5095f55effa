// What the tests of dialect/tasks share.
#pragma once

#include <string>

#include "dialect/tasks/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::tasks {

class TasksFixture : public testing::RouteFixture<TasksDialect> {
 protected:
  const std::string path = "/sessions/" + to_uuid(session_id);
  TaskId task_id = TaskId{run_id.value};
  ArtifactId artifact_id = ArtifactId{run_id.value};
  DataItemId item_id = DataItemId{run_id.value};

  // Status and code of an error, "404 NOT_FOUND Task not found", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    if (fields.size() != 4 || !fields.contains("error")) return std::to_string(response.status) + " without an error";
    EXPECT_EQ(fields.at("error"), fields.at("message"));
    EXPECT_EQ(fields.at("error"), fields.at("detail"));
    return std::to_string(response.status) + " " + std::string(fields.at("code").as_string()) + " " +
           std::string(fields.at("error").as_string());
  }
  api::Task task() const {
    return {.id = task_id,
            .session_id = session_id,
            .title = "Research competitors",
            .description = "Find the top 5",
            .status = TaskStatus::kDone,
            .result = "Five found",
            .reflection = "Good \xe2\x80\xa8",
            .order = 2,
            .created_at = {1'771'102'980'000},
            .updated_at = {1'771'102'980'001}};
  }
  api::Artifact artifact() const {
    return {.id = artifact_id,
            .session_id = session_id,
            .task_id = task_id,
            .name = "Competitor Analysis",
            .type = "document",
            .content = "# Five\n",
            .created_at = {1'771'102'980'000}};
  }
  api::DataItem data_item() const {
    return {.id = item_id,
            .session_id = session_id,
            .item_type = "contact",
            .data_json = R"({"name":"Ann"})",
            .created_at = {1'771'102'980'000},
            .updated_at = {1'771'102'980'001}};
  }
};

}  // namespace braidlog::tasks
