// Part of run_store_contract.h: artifacts and data items, and that they and tasks change all together or not at all.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

// ---- artifacts and data items

TEST_P(RunStoreContract, ArtifactsReadBackOldestFirst) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  api::Artifact first = an_artifact("plan", "one\n\xe2\x82\xac");
  const api::Artifact second = an_artifact("note", std::string(300'000, 'x'));
  first.id = id<ArtifactId>();  // oldest is who was made first, not who has the smallest id
  first.task_id = id<TaskId>();
  append_items(run, effects_with({first}));
  append_items(run, effects_with({second}));
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto list = reader_->artifacts(session, "");
    ASSERT_EQ(list->size(), 2u);
    EXPECT_EQ(list->front().id, first.id);
    EXPECT_EQ(list->front().content, "") << "lists are without it";
    EXPECT_EQ(reader_->artifacts(session, "note")->size(), 1u);
    EXPECT_EQ(reader_->artifacts(session, "note")->front().id, second.id);
    EXPECT_TRUE(reader_->artifacts(session, "summary")->empty());
    const auto one = reader_->artifact(session, first.id);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->session_id, session);
    EXPECT_EQ(one->task_id, first.task_id);
    EXPECT_EQ(one->name, "notes.md");
    EXPECT_EQ(one->type, "plan");
    EXPECT_EQ(one->content, first.content);
    EXPECT_EQ(one->created_at, first.created_at);
    EXPECT_EQ(reader_->artifact(session, second.id)->content, second.content);
    EXPECT_FALSE(reader_->artifact(session, second.id)->task_id);
  }
  expect_error(reader_->artifact(begin_session(), first.id), ErrorCode::kArtifactNotFound);
}

TEST_P(RunStoreContract, RemoveArtifactRemovesTheOneOfItsSession) {
  LiveRunView run = begin_run(begin_session());
  const SessionId other = begin_session();
  const api::Artifact doomed = an_artifact(), kept = an_artifact();
  append_items(run, effects_with({doomed, kept}));
  expect_error(commit_one(RemoveArtifact{run.session_id, id<ArtifactId>()}), ErrorCode::kArtifactNotFound);
  expect_error(commit_one(RemoveArtifact{other, doomed.id}), ErrorCode::kArtifactNotFound);
  expect_error(commit_one(RemoveArtifact{id<SessionId>(), doomed.id}), ErrorCode::kArtifactNotFound);
  EXPECT_EQ(reader_->artifacts(run.session_id, "")->size(), 2u);
  expect_ok(commit_one(RemoveArtifact{run.session_id, doomed.id}));
  expect_error(commit_one(RemoveArtifact{run.session_id, doomed.id}), ErrorCode::kArtifactNotFound);
  for (int i = 0; i < 2; ++i, reopen()) {
    expect_error(reader_->artifact(run.session_id, doomed.id), ErrorCode::kArtifactNotFound);
    EXPECT_TRUE(reader_->artifact(run.session_id, kept.id));
    EXPECT_EQ(reader_->artifacts(run.session_id, "")->size(), 1u);
  }
}

TEST_P(RunStoreContract, DataItemsAreMadeChangedAndDeleted) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  const DataItemChange city = a_data_item(), person = a_data_item("person", R"({"name":"Zo)"
                                                                            "\xc3\xab"
                                                                            R"("})");
  append_items(run, effects_with({city, person}));
  DataItemChange change = city;
  change.operation = DataOperation::kUpdate;
  change.item.data_json = R"({"name":"Oslo"})";
  change.item.created_at = change.item.updated_at = now();
  append_items(run, effects_with({change}));
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto one = reader_->data_item(session, city.item.id);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->session_id, session);
    EXPECT_EQ(one->item_type, "city");
    EXPECT_EQ(one->data_json, R"({"name":"Oslo"})");
    EXPECT_EQ(one->created_at, city.item.created_at);
    EXPECT_EQ(one->updated_at, change.item.updated_at);
    const auto list = reader_->data_items(session, "");
    ASSERT_EQ(list->size(), 2u);
    EXPECT_EQ(list->front().id, city.item.id);
    EXPECT_EQ(list->back().data_json, person.item.data_json);
    ASSERT_EQ(reader_->data_items(session, "person")->size(), 1u);
    EXPECT_EQ(reader_->data_items(session, "person")->front().id, person.item.id);
    expect_error(reader_->data_item(id<SessionId>(), city.item.id), ErrorCode::kDataItemNotFound);
  }
  append_items(run, effects_with({DataItemChange{DataOperation::kDelete, {.id = city.item.id}}}));
  expect_error(reader_->data_item(session, city.item.id), ErrorCode::kDataItemNotFound);
  EXPECT_EQ(reader_->data_items(session, "")->size(), 1u);
}

TEST_P(RunStoreContract, AChangeOfADataItemThatIsNotThereDoesNothing) {
  LiveRunView run = begin_run(begin_session()), other = begin_run(begin_session());
  const DataItemChange theirs = a_data_item();
  append_items(other, effects_with({theirs}));
  DataItemChange change = theirs, removal = theirs;
  change.operation = DataOperation::kUpdate;
  change.item.data_json = "1";
  removal.operation = DataOperation::kDelete;
  append_items(run, effects_with({change, removal}));
  EXPECT_TRUE(reader_->data_items(run.session_id, "")->empty());
  EXPECT_EQ(reader_->data_item(other.session_id, theirs.item.id)->data_json, theirs.item.data_json);
}

TEST_P(RunStoreContract, BrokenTextIsMended) {
  const std::string broken =
                        "a\xff"
                        "b",
                    mended =
                        "a\xef\xbf\xbd"
                        "b";
  LiveRunView run = begin_run(begin_session());
  TaskItem task = a_task(0, broken);
  task.description = broken;
  RunEffects effects = effects_with({task});
  effects.task_changes = {{.id = task.id, .status = TaskStatus::kDone, .result = broken, .reflection = broken}};
  effects.artifacts = {an_artifact("note", broken)};
  effects.data_items = {a_data_item("city", '"' + broken + '"')};
  append_items(run, effects);
  const auto tasks = reader_->tasks(run.session_id);
  ASSERT_EQ(tasks->size(), 1u);
  EXPECT_EQ(tasks->front().title, mended);
  EXPECT_EQ(tasks->front().description, mended);
  EXPECT_EQ(tasks->front().result, mended);
  EXPECT_EQ(tasks->front().reflection, mended);
  EXPECT_EQ(reader_->artifact(run.session_id, effects.artifacts[0].id)->content, mended);
  EXPECT_EQ(reader_->data_items(run.session_id, "")->front().data_json, '"' + mended + '"');
}

// ---- all or nothing

TEST_P(RunStoreContract, ARefusedAppendChangesNoItems) {
  LiveRunView run = begin_run(begin_session());
  const SessionId session = run.session_id;
  const TaskItem task = a_task(0);
  const api::Artifact artifact = an_artifact();
  const DataItemChange item = a_data_item();
  RunEffects first = effects_with({task});
  first.artifacts = {artifact};
  first.data_items = {item};
  const WallTime before = append_items(run, first);

  Append stale = an_append(run);
  stale.follows = {9};
  RunEffects& effects = stale.effects.touch();
  effects.tasks = {a_task(0)};
  effects.artifacts = {an_artifact()};
  effects.data_items = {a_data_item(), DataItemChange{DataOperation::kDelete, {.id = item.item.id}}};
  effects.session_status = api::SessionStatus::kCompleted;
  effects.changed_at = now();
  Append known_artifact = stale, known_item = stale;
  known_artifact.follows = known_item.follows = run.last;
  known_artifact.effects.touch().data_items.clear();
  known_artifact.effects.touch().artifacts.push_back(artifact);
  known_item.effects.touch().artifacts.clear();
  known_item.effects.touch().data_items.insert(known_item.effects.touch().data_items.begin(), item);
  const Append good = an_append(run);
  const auto outcomes = commit({stale, known_artifact, known_item, good});
  expect_error(outcomes[0], ErrorCode::kFenced);
  EXPECT_FALSE(outcomes[1]);
  EXPECT_FALSE(outcomes[2]);
  expect_ok(outcomes[3]);

  for (int i = 0; i < 2; ++i, reopen()) {
    ASSERT_EQ(reader_->tasks(session)->size(), 1u);
    EXPECT_EQ(reader_->tasks(session)->front().id, task.id);
    ASSERT_EQ(reader_->artifacts(session, "")->size(), 1u);
    EXPECT_EQ(reader_->artifacts(session, "")->front().id, artifact.id);
    ASSERT_EQ(reader_->data_items(session, "")->size(), 1u);
    EXPECT_EQ(reader_->session(session)->status, api::SessionStatus::kPlanning);
    EXPECT_EQ(reader_->session(session)->task_version, 1u);
    EXPECT_EQ(reader_->session(session)->updated_at, before);
  }
}

TEST_P(RunStoreContract, ItemsGoWithTheirSession) {
  LiveRunView run = begin_run(begin_session()), other = begin_run(begin_session());
  const api::Artifact artifact = an_artifact();
  const DataItemChange item = a_data_item();
  for (LiveRunView* one : {&run, &other}) {
    RunEffects effects = effects_with({a_task(0)});
    effects.artifacts = {artifact};
    effects.data_items = {item};
    append_items(*one, effects);
  }
  end_run(run);
  expect_ok(commit_one(RemoveSession{run.session_id}));
  for (int i = 0; i < 2; ++i, reopen()) {
    EXPECT_TRUE(reader_->tasks(run.session_id)->empty());
    EXPECT_TRUE(reader_->artifacts(run.session_id, "")->empty());
    EXPECT_TRUE(reader_->data_items(run.session_id, "")->empty());
    expect_error(reader_->artifact(run.session_id, artifact.id), ErrorCode::kArtifactNotFound);
    EXPECT_EQ(reader_->tasks(other.session_id)->size(), 1u);
    EXPECT_TRUE(reader_->artifact(other.session_id, artifact.id));
    EXPECT_TRUE(reader_->data_item(other.session_id, item.item.id));
  }
}

}  // namespace braidlog::testing
