// What a session holds: tasks, artifacts and data items.
#include "dialect/testing/tasks_fixture.h"

namespace braidlog::tasks {
namespace {

using Items = TasksFixture;

constexpr char kTask[] =
    R"({"id":"019c5e00-0000-3800-0400-000000000301","sessionId":"019c5e00-0000-3800-0400-000000000321",)"
    R"("title":"Research competitors","description":"Find the top 5","status":"done","result":"Five found",)"
    R"("reflection":"Good \u2028","order":2,"createdAt":"2026-02-14T21:03:00.000Z",)"
    R"("updatedAt":"2026-02-14T21:03:00.001Z"})";
constexpr char kArtifactHead[] =
    R"({"id":"019c5e00-0000-3800-0400-000000000301","sessionId":"019c5e00-0000-3800-0400-000000000321",)"
    R"("taskId":"019c5e00-0000-3800-0400-000000000301","name":"Competitor Analysis","type":"document",)";
constexpr char kItem[] =
    R"({"id":"019c5e00-0000-3800-0400-000000000301","sessionId":"019c5e00-0000-3800-0400-000000000321",)"
    R"("itemType":"contact","data":{"name":"Ann"},"createdAt":"2026-02-14T21:03:00.000Z",)"
    R"("updatedAt":"2026-02-14T21:03:00.001Z"})";

TEST_F(Items, Tasks) {
  auto fresh = task();
  fresh.status = TaskStatus::kPending;
  fresh.result = fresh.reflection = std::nullopt;
  service.reply<api::ListTasks>(api::TaskList{task(), fresh});
  const auto list = get(path + "/tasks");
  EXPECT_EQ(list.status, 200);
  EXPECT_TRUE(list.body.starts_with("{\"tasks\":[" + std::string(kTask) + ",{")) << list.body;
  EXPECT_NE(list.body.find(R"("status":"pending","result":null,"reflection":null,"order":2)"), std::string::npos);
  EXPECT_EQ(service.asked<api::ListTasks>().at(0).session_id, session_id);
  service.reply<api::ListTasks>(api::TaskList{});
  EXPECT_EQ(get(path + "/tasks").body, R"({"tasks":[]})");
}

TEST_F(Items, OneTask) {
  service.reply<api::GetTask>(task());
  for (const std::string& id : {to_uuid(task_id), to_ulid(task_id)}) {
    const auto one = get(path + "/tasks/" + id);
    EXPECT_EQ(one.status, 200);
    EXPECT_EQ(one.body, kTask);
    EXPECT_EQ(service.asked<api::GetTask>().back().session_id, session_id);
    EXPECT_EQ(service.asked<api::GetTask>().back().id, task_id);
  }
}

TEST_F(Items, ArtifactsInAListHaveNoContent) {
  service.reply<api::ListArtifacts>(api::ArtifactList{artifact()});
  EXPECT_EQ(get(path + "/artifacts").body,
            "{\"artifacts\":[" + std::string(kArtifactHead) + R"("createdAt":"2026-02-14T21:03:00.000Z"}]})");
  EXPECT_EQ(service.asked<api::ListArtifacts>().at(0).type, "");
  for (const char* type : {"document", "note", "summary", "plan", "other"}) {
    EXPECT_EQ(get(path + "/artifacts?type=" + type).status, 200);
    EXPECT_EQ(service.asked<api::ListArtifacts>().back().type, type);
    EXPECT_EQ(service.asked<api::ListArtifacts>().back().session_id, session_id);
  }
}

TEST_F(Items, OneArtifactWithItsContent) {
  service.reply<api::GetArtifact>(artifact());
  EXPECT_EQ(get(path + "/artifacts/" + to_uuid(artifact_id)).body,
            std::string(kArtifactHead) + R"("content":"# Five\n","createdAt":"2026-02-14T21:03:00.000Z"})");
  EXPECT_EQ(service.asked<api::GetArtifact>().at(0).session_id, session_id);
  EXPECT_EQ(service.asked<api::GetArtifact>().at(0).id, artifact_id);
  auto loose = artifact();
  loose.task_id = std::nullopt;
  loose.type = "from a newer version";
  service.reply<api::GetArtifact>(loose);
  const auto body = get(path + "/artifacts/" + to_uuid(artifact_id)).body;
  EXPECT_NE(body.find(R"("taskId":null,"name":"Competitor Analysis","type":"other")"), std::string::npos) << body;
}

TEST_F(Items, ADownloadIsSavedAndNeverRun) {
  service.reply<api::GetArtifact>(artifact());
  const auto file = get(path + "/artifacts/" + to_uuid(artifact_id) + "/download");
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.body, "# Five\n");
  EXPECT_EQ(header(file, "Content-Type"), "text/markdown; charset=utf-8");
  EXPECT_EQ(header(file, "Content-Disposition"),
            "attachment; filename=\"Competitor Analysis.md\"; filename*=UTF-8''Competitor%20Analysis.md");
  EXPECT_EQ(header(file, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(file, "Content-Security-Policy"), "default-src 'none'; sandbox");
  auto page = artifact();
  page.name = "a/b\r\nX: y\".html";
  service.reply<api::GetArtifact>(page);
  const auto safe = get(path + "/artifacts/" + to_uuid(artifact_id) + "/download");
  EXPECT_EQ(header(safe, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(header(safe, "Content-Disposition"),
            "attachment; filename=\"a_b__X_ y_.html.txt\"; filename*=UTF-8''a_b__X_%20y_.html.txt");
}

TEST_F(Items, AnArtifactCanBeDeleted) {
  service.reply<api::DeleteArtifact>(api::DeletedArtifact{});
  const auto response = del(path + "/artifacts/" + to_uuid(artifact_id));
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(service.asked<api::DeleteArtifact>().at(0).session_id, session_id);
  EXPECT_EQ(service.asked<api::DeleteArtifact>().at(0).id, artifact_id);
}

TEST_F(Items, DataItems) {
  service.reply<api::ListDataItems>(api::DataItemList{data_item(), data_item()});
  const std::string both = "{\"dataItems\":[" + std::string(kItem) + "," + kItem + "]}";
  EXPECT_EQ(get(path + "/data-items").body, both);
  EXPECT_EQ(service.asked<api::ListDataItems>().at(0).item_type, "");
  EXPECT_EQ(get(path + "/data-items?item_type=a%20b").body, both);
  EXPECT_EQ(service.asked<api::ListDataItems>().at(1).item_type, "a b");
  EXPECT_EQ(service.asked<api::ListDataItems>().at(1).session_id, session_id);
  service.reply<api::GetDataItem>(data_item());
  EXPECT_EQ(get(path + "/data-items/" + to_uuid(item_id)).body, kItem);
  EXPECT_EQ(service.asked<api::GetDataItem>().at(0).session_id, session_id);
  EXPECT_EQ(service.asked<api::GetDataItem>().at(0).id, item_id);
}

TEST_F(Items, WrongParametersBeforeTheSession) {
  for (const char* target :
       {"/artifacts?type=", "/artifacts?type=Document", "/artifacts?type=file", "/artifacts?type=%ff",
        "/data-items?item_type=", "/data-items?item_type=%20", "/data-items?item_type=%zz"}) {
    EXPECT_TRUE(error_of(get("/sessions/nope" + std::string(target))).starts_with("422 VALIDATION_ERROR ")) << target;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Items, UnknownAndMalformedLookTheSame) {
  service.reply<api::GetTask>(fail(ErrorCode::kTaskNotFound, "Task not found"));
  service.reply<api::GetArtifact>(fail(ErrorCode::kArtifactNotFound, "Artifact not found"));
  service.reply<api::DeleteArtifact>(fail(ErrorCode::kArtifactNotFound, "Artifact not found"));
  service.reply<api::GetDataItem>(fail(ErrorCode::kDataItemNotFound, "Data item not found"));
  for (const std::string& id : {to_uuid(task_id), std::string("nope"), std::string(10'000, 'a')}) {
    EXPECT_EQ(error_of(get(path + "/tasks/" + id)), "404 NOT_FOUND Task not found");
    EXPECT_EQ(error_of(get(path + "/artifacts/" + id)), "404 NOT_FOUND Artifact not found");
    EXPECT_EQ(error_of(get(path + "/artifacts/" + id + "/download")), "404 NOT_FOUND Artifact not found");
    EXPECT_EQ(error_of(del(path + "/artifacts/" + id)), "404 NOT_FOUND Artifact not found");
    EXPECT_EQ(error_of(get(path + "/data-items/" + id)), "404 NOT_FOUND Data item not found");
  }
  const auto asked = service.asked_count();
  for (const char* what :
       {"/tasks", "/artifacts", "/data-items", "/tasks/x", "/artifacts/x", "/data-items/x", "/artifacts/x/download"}) {
    EXPECT_EQ(error_of(get("/sessions/nope" + std::string(what))), "404 NOT_FOUND Session not found") << what;
  }
  EXPECT_EQ(error_of(del("/sessions/nope/artifacts/x")), "404 NOT_FOUND Session not found");
  EXPECT_EQ(service.asked_count(), asked);
}

}  // namespace
}  // namespace braidlog::tasks
