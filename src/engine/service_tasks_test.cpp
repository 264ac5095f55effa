// Tasks, artifacts and data items through the service: what is answered, and to whom.
#include "engine/stored_items.h"
#include "engine/testing/service_fixture.h"

namespace braidlog {
namespace {

class ServiceTasksTest : public testing::ServiceTest {
 protected:
  ServiceTasksTest() {
    session_ = make_session(server_);
    items().tasks = {{.id = second_, .session_id = session_, .title = "Write", .order = 1},
                     {.id = first_, .session_id = session_, .title = "Look", .result = "found"}};
    items().artifacts = {{.id = artifact_, .session_id = session_, .name = "a.md", .type = "note", .content = "text"},
                         {.id = {id(12)}, .session_id = session_, .name = "b.md", .type = "plan", .content = "more"}};
    items().data_items = {{.id = item_, .session_id = session_, .item_type = "city", .data_json = "{}"},
                          {.id = {id(22)}, .session_id = session_, .item_type = "person", .data_json = "[]"}};
  }

  static Id128 id(std::uint8_t number) {
    Id128 made;
    made.bytes.back() = number;
    return made;
  }
  testing::MemoryItems& items() { return tables_.sessions.at(session_).items; }
  template <class Command>
  auto ask_as(const api::Caller& caller, Command command) {
    return ask(server_, std::move(command), caller);
  }
  // The error of the owner's question; kInternal when there is none.
  template <class Command>
  ErrorCode refusal(Command command) {
    return refusal(std::move(command), caller_);
  }
  template <class Command>
  ErrorCode refusal(Command command, const api::Caller& caller) {
    const auto answer = ask(server_, std::move(command), caller);
    return answer ? ErrorCode::kInternal : answer.error().code;
  }

  testing::TestServer server_{tables_, agents_, files_};
  const api::Caller stranger_{"bob", false}, admin_{"root", true};
  const TaskId first_{id(1)}, second_{id(2)};
  const ArtifactId artifact_{id(11)};
  const DataItemId item_{id(21)};
  SessionId session_;
};

TEST_F(ServiceTasksTest, TasksByOrderAndOneOfThem) {
  const auto tasks = ask(server_, api::ListTasks{session_});
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 2u);
  EXPECT_EQ(tasks->front().id, first_);
  EXPECT_EQ(tasks->front().result, "found");
  const auto task = ask(server_, api::GetTask{session_, second_});
  ASSERT_TRUE(task);
  EXPECT_EQ(task->title, "Write");
  EXPECT_EQ(refusal(api::GetTask{session_, TaskId{id(9)}}), ErrorCode::kTaskNotFound);
}

TEST_F(ServiceTasksTest, ArtifactsWithoutContentAndOneWithIt) {
  const auto all = ask(server_, api::ListArtifacts{session_});
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().content, "");
  const auto plans = ask(server_, api::ListArtifacts{session_, "plan"});
  ASSERT_EQ(plans->size(), 1u);
  EXPECT_EQ(plans->front().name, "b.md");
  EXPECT_EQ(ask(server_, api::GetArtifact{session_, artifact_})->content, "text");
  EXPECT_EQ(refusal(api::GetArtifact{session_, ArtifactId{id(9)}}), ErrorCode::kArtifactNotFound);
}

TEST_F(ServiceTasksTest, AnArtifactIsDeletedOnce) {
  EXPECT_TRUE(ask(server_, api::DeleteArtifact{session_, artifact_}));
  EXPECT_EQ(ask(server_, api::ListArtifacts{session_})->size(), 1u);
  EXPECT_EQ(refusal(api::GetArtifact{session_, artifact_}), ErrorCode::kArtifactNotFound);
  EXPECT_EQ(refusal(api::DeleteArtifact{session_, artifact_}), ErrorCode::kArtifactNotFound);
}

TEST_F(ServiceTasksTest, AnArtifactIsDeletedThroughItsOwnSessionOnly) {
  const SessionId other = make_session(server_);
  EXPECT_EQ(refusal(api::DeleteArtifact{other, artifact_}), ErrorCode::kArtifactNotFound);
  EXPECT_EQ(refusal(api::GetArtifact{other, artifact_}), ErrorCode::kArtifactNotFound);
  EXPECT_EQ(items().artifacts.size(), 2u);
}

TEST_F(ServiceTasksTest, DataItemsOfATypeAndOneOfThem) {
  EXPECT_EQ(ask(server_, api::ListDataItems{session_})->size(), 2u);
  const auto people = ask(server_, api::ListDataItems{session_, "person"});
  ASSERT_EQ(people->size(), 1u);
  EXPECT_EQ(people->front().data_json, "[]");
  EXPECT_EQ(ask(server_, api::GetDataItem{session_, item_})->item_type, "city");
  EXPECT_EQ(refusal(api::GetDataItem{session_, DataItemId{id(9)}}), ErrorCode::kDataItemNotFound);
}

TEST_F(ServiceTasksTest, AWholeSessionIsAllOfIt) {
  tables_.sessions.at(session_).messages = {{.role = "user", .content = "hello"}};
  tables_.sessions.at(session_).session.status = api::SessionStatus::kCompleted;
  const auto whole = ask(server_, api::GetWholeSession{session_});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->session.id, session_);
  EXPECT_EQ(whole->session.status, api::SessionStatus::kCompleted);
  ASSERT_EQ(whole->messages.size(), 1u);
  EXPECT_EQ(whole->messages.front().content, "hello");
  EXPECT_EQ(whole->tasks.front().id, first_);
  ASSERT_EQ(whole->artifacts.size(), 2u);
  EXPECT_EQ(whole->artifacts.front().content, "");
  EXPECT_EQ(whole->data_items.size(), 2u);
}

TEST_F(ServiceTasksTest, SessionsAreListedByStatus) {
  const SessionId other = make_session(server_);
  tables_.sessions.at(session_).session.status = api::SessionStatus::kExecuting;
  const auto planning = ask(server_, api::ListSessions{.status = api::SessionStatus::kPlanning});
  ASSERT_EQ(planning->total, 1u);
  EXPECT_EQ(planning->items.front().id, other);
  EXPECT_EQ(ask(server_, api::ListSessions{})->total, 2u);
}

TEST_F(ServiceTasksTest, ForStrangersThereIsNoSuchSession) {
  const auto refused = [&](const api::Caller& caller, SessionId id) {
    return std::vector{refusal(api::ListTasks{id}, caller),
                       refusal(api::GetTask{id, first_}, caller),
                       refusal(api::ListArtifacts{id}, caller),
                       refusal(api::GetArtifact{id, artifact_}, caller),
                       refusal(api::DeleteArtifact{id, artifact_}, caller),
                       refusal(api::ListDataItems{id}, caller),
                       refusal(api::GetDataItem{id, item_}, caller),
                       refusal(api::GetWholeSession{id}, caller)};
  };
  const std::vector<ErrorCode> not_found(8, ErrorCode::kSessionNotFound);
  EXPECT_EQ(refused(stranger_, session_), not_found);
  EXPECT_EQ(refused(caller_, SessionId{id(99)}), not_found);
  EXPECT_EQ(items().artifacts.size(), 2u);
}

TEST_F(ServiceTasksTest, AnAdminReadsAndDoesNotDelete) {
  EXPECT_EQ(ask_as(admin_, api::ListTasks{session_})->size(), 2u);
  EXPECT_TRUE(ask_as(admin_, api::GetTask{session_, first_}));
  EXPECT_EQ(ask_as(admin_, api::ListArtifacts{session_})->size(), 2u);
  EXPECT_TRUE(ask_as(admin_, api::GetArtifact{session_, artifact_}));
  EXPECT_EQ(ask_as(admin_, api::ListDataItems{session_})->size(), 2u);
  EXPECT_TRUE(ask_as(admin_, api::GetDataItem{session_, item_}));
  EXPECT_TRUE(ask_as(admin_, api::GetWholeSession{session_}));
  EXPECT_EQ(refusal(api::DeleteArtifact{session_, artifact_}, admin_), ErrorCode::kSessionNotFound);
  EXPECT_EQ(items().artifacts.size(), 2u);
}

// What tools see of the session, on the thread of their run.
TEST_F(ServiceTasksTest, StoredItemsAnswerOnTheLoopThatAsked) {
  StoredItems stored(server_.access);
  std::optional<Result<api::ArtifactList>> artifacts;
  std::optional<Result<api::Artifact>> artifact, none;
  std::optional<Result<std::uint64_t>> count;
  std::optional<Result<api::DataItem>> item;
  const auto into = [](auto& out) { return [&out](auto result) { out.emplace(std::move(result)); }; };
  stored.artifacts(session_, server_.second, into(artifacts));
  stored.artifact(session_, artifact_, server_.second, into(artifact));
  stored.artifact(session_, ArtifactId{id(9)}, server_.second, into(none));
  stored.data_item_count(session_, server_.second, into(count));
  stored.data_item(session_, item_, server_.second, into(item));
  server_.first.run_ready();
  EXPECT_FALSE(artifacts || artifact || none || count || item);
  server_.run();
  EXPECT_EQ((*artifacts)->size(), 2u);
  EXPECT_EQ((*artifacts)->front().content, "");
  EXPECT_EQ((*artifact)->content, "text");
  EXPECT_EQ(none->error().code, ErrorCode::kArtifactNotFound);
  EXPECT_EQ(**count, 2u);
  EXPECT_EQ((*item)->data_json, "{}");
}

}  // namespace
}  // namespace braidlog
