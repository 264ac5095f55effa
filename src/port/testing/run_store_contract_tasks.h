// Part of run_store_contract.h: tasks, and the status of a session that has some.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

// ---- tasks

TEST_P(RunStoreContract, ANewSessionHasNothingInIt) {
  const SessionId session = begin_session();
  for (const SessionId which : {session, id<SessionId>()}) {
    EXPECT_TRUE(reader_->tasks(which)->empty());
    EXPECT_TRUE(reader_->artifacts(which, "")->empty());
    EXPECT_TRUE(reader_->data_items(which, "")->empty());
    expect_error(reader_->artifact(which, id<ArtifactId>()), ErrorCode::kArtifactNotFound);
    expect_error(reader_->data_item(which, id<DataItemId>()), ErrorCode::kDataItemNotFound);
  }
  EXPECT_EQ(reader_->session(session)->status, api::SessionStatus::kPlanning);
  EXPECT_EQ(reader_->session(session)->task_version, 0u);
}

TEST_P(RunStoreContract, TasksReadBackByOrder) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  const TaskItem last = a_task(7, "Write \xc3\xa9"), first = a_task(0, "Look", TaskStatus::kInProgress);
  const WallTime at = append_items(run, effects_with({last, first}));
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto tasks = reader_->tasks(session);
    ASSERT_TRUE(tasks);
    ASSERT_EQ(tasks->size(), 2u);
    EXPECT_EQ(tasks->front().id, first.id);
    EXPECT_EQ(tasks->front().status, TaskStatus::kInProgress);
    const api::Task& task = tasks->back();
    EXPECT_EQ(task.id, last.id);
    EXPECT_EQ(task.session_id, session);
    EXPECT_EQ(task.title, last.title);
    EXPECT_EQ(task.description, "Why");
    EXPECT_EQ(task.status, TaskStatus::kPending);
    EXPECT_EQ(task.order, 7u);
    EXPECT_FALSE(task.result);
    EXPECT_FALSE(task.reflection);
    EXPECT_EQ(task.created_at, at);
    EXPECT_EQ(task.updated_at, at);
  }
}

TEST_P(RunStoreContract, ATaskChangeChangesWhatItNames) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  const TaskItem task = a_task(0), other = a_task(1);
  const WallTime made = append_items(run, effects_with({task, other}));
  append_items(run, effects_with(TaskChange{task.id, TaskStatus::kInProgress}));
  EXPECT_FALSE(reader_->tasks(session)->front().result);
  append_items(run, effects_with(TaskChange{.id = task.id, .status = TaskStatus::kDone, .result = "found"}));
  const WallTime last =
      append_items(run, effects_with(TaskChange{.id = task.id, .status = TaskStatus::kDone, .reflection = "good"}));
  const auto tasks = reader_->tasks(session);
  ASSERT_EQ(tasks->size(), 2u);
  EXPECT_EQ(tasks->front().status, TaskStatus::kDone);
  EXPECT_EQ(tasks->front().result, "found");
  EXPECT_EQ(tasks->front().reflection, "good");
  EXPECT_EQ(tasks->front().title, task.title);
  EXPECT_EQ(tasks->front().created_at, made);
  EXPECT_EQ(tasks->front().updated_at, last);
  EXPECT_EQ(tasks->back().status, TaskStatus::kPending);
  EXPECT_EQ(tasks->back().updated_at, made);
}

TEST_P(RunStoreContract, TaskChangesComeAfterTheListAndInTheirOrder) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  const TaskItem task = a_task(0);
  RunEffects effects = effects_with({task});
  effects.task_changes = {{.id = task.id, .status = TaskStatus::kInProgress, .result = "half"},
                          {.id = task.id, .status = TaskStatus::kDone, .result = "whole"}};
  append_items(run, effects);
  EXPECT_EQ(reader_->tasks(session)->front().status, TaskStatus::kDone);
  EXPECT_EQ(reader_->tasks(session)->front().result, "whole");
  EXPECT_EQ(reader_->session(session)->task_version, 1u);
}

TEST_P(RunStoreContract, AReplacedListKeepsWhatIsKnownOfATask) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  TaskItem done = a_task(0, "Done"), renamed = a_task(1, "Old"), gone = a_task(2);
  const WallTime made = append_items(run, effects_with({done, renamed, gone}));
  const WallTime ended = append_items(
      run,
      effects_with(TaskChange{.id = done.id, .status = TaskStatus::kDone, .result = "found", .reflection = "good"}));
  done.status = TaskStatus::kDone;
  renamed.title = "New";
  renamed.description = "Because";
  renamed.order = 2;
  const TaskItem added = a_task(1);
  const WallTime replaced = append_items(run, effects_with({done, added, renamed}));

  const auto tasks = reader_->tasks(session);
  ASSERT_EQ(tasks->size(), 3u);
  EXPECT_EQ((*tasks)[0].id, done.id);
  EXPECT_EQ((*tasks)[0].status, TaskStatus::kDone);
  EXPECT_EQ((*tasks)[0].result, "found");
  EXPECT_EQ((*tasks)[0].reflection, "good");
  EXPECT_EQ((*tasks)[0].created_at, made);
  EXPECT_EQ((*tasks)[0].updated_at, ended) << "nothing of it has changed";
  EXPECT_EQ((*tasks)[1].id, added.id);
  EXPECT_EQ((*tasks)[1].created_at, replaced);
  EXPECT_EQ((*tasks)[2].id, renamed.id);
  EXPECT_EQ((*tasks)[2].title, "New");
  EXPECT_EQ((*tasks)[2].description, "Because");
  EXPECT_EQ((*tasks)[2].created_at, made);
  EXPECT_EQ((*tasks)[2].updated_at, replaced);

  append_items(run, effects_with(std::vector<TaskItem>{}));
  EXPECT_TRUE(reader_->tasks(session)->empty());
}

TEST_P(RunStoreContract, TasksOfAnotherSessionAreLeftAlone) {
  LiveRunView run = begin_run(begin_session()), other = begin_run(begin_session());
  const TaskItem task = a_task(0), others = a_task(0, "Theirs");
  append_items(other, effects_with({others}));
  append_items(run, effects_with({task}));
  append_items(run, effects_with(TaskChange{.id = others.id, .status = TaskStatus::kFailed}));
  ASSERT_EQ(reader_->tasks(other.session_id)->size(), 1u);
  EXPECT_EQ(reader_->tasks(other.session_id)->front().status, TaskStatus::kPending);
  EXPECT_EQ(reader_->session(other.session_id)->task_version, 1u);
}

// ---- the session

TEST_P(RunStoreContract, TheTaskVersionCountsCommitsThatChangeTasks) {
  const SessionId session = begin_session();
  const auto version = [&] { return reader_->session(session)->task_version; };
  LiveRunView run = begin_run(session);
  append_text(run);
  append_items(run, effects_with({an_artifact()}));
  append_items(run, effects_with({a_data_item()}));
  append_items(run, effects_with(api::SessionStatus::kExecuting));
  EXPECT_EQ(version(), 0u);
  const TaskItem task = a_task(0);
  append_items(run, effects_with({task}));
  EXPECT_EQ(version(), 1u);
  append_items(run, effects_with(TaskChange{task.id, TaskStatus::kDone}));
  EXPECT_EQ(version(), 2u);
  append_items(run, effects_with({task}));
  reopen();
  EXPECT_EQ(version(), 3u);
  EXPECT_EQ(reader_->sessions({"ann", 10, 0})->items.front().task_version, 3u);
}

TEST_P(RunStoreContract, ANewRunIsFencedByTheTaskVersion) {
  const SessionId session = begin_session();
  LiveRunView first = begin_run(session);
  append_items(first, effects_with({a_task(0)}));
  NewRun write = a_run(session);
  write.expected_task_version = 7;
  write.idempotency_key = "key";
  expect_error(commit_one(write), ErrorCode::kActiveRunExists);
  end_run(first);
  expect_error(commit_one(write), ErrorCode::kFenced);
  expect_error(reader_->run(write.run.id), ErrorCode::kRunNotFound);
  write.expected_task_version = 0;
  expect_error(commit_one(write), ErrorCode::kFenced);
  write.expected_task_version = 1;
  write.expected_message_count = 3;
  expect_error(commit_one(write), ErrorCode::kFenced);
  write.expected_message_count = 0;
  LiveRunView second = begin_run(write);
  append_items(second, effects_with({a_task(0)}));
  end_run(second);

  NewRun again = write;
  again.run.id = id<RunId>();
  EXPECT_EQ(commit_one(again)->existing_run, write.run.id) << "the key is looked at first";
  again = a_run(session);
  again.expected_task_version.reset();
  expect_ok(commit_one(again));
}

TEST_P(RunStoreContract, ANewRunWithItsSessionIsAtTaskVersionZero) {
  NewRun write = a_run(id<SessionId>());
  write.new_session = a_session();
  write.new_session->id = write.run.session_id;
  write.expected_task_version = 1;
  expect_error(commit_one(write), ErrorCode::kFenced);
  write.expected_task_version = 0;
  write.effects.tasks = {a_task(0)};
  write.effects.changed_at = now();
  expect_ok(commit_one(write));
  EXPECT_EQ(reader_->tasks(write.run.session_id)->size(), 1u);
  EXPECT_EQ(reader_->session(write.run.session_id)->task_version, 1u);
}

TEST_P(RunStoreContract, SessionsListByStatusWithTheirTotal) {
  std::vector<SessionId> made;
  for (int i = 0; i < 4; ++i) {
    LiveRunView run = begin_run(begin_session(i == 3 ? "bob" : "ann"));
    made.push_back(run.session_id);
    if (i > 0) append_items(run, effects_with(api::SessionStatus::kExecuting));
    if (i == 2) append_items(run, effects_with(api::SessionStatus::kCompleted));
    end_run(run);
  }
  const auto list = [&](std::optional<std::string> user, std::optional<api::SessionStatus> status,
                        std::uint32_t limit) {
    StoreReader::SessionQuery query{.user_id = std::move(user), .limit = limit};
    query.status = status;
    return *reader_->sessions(query);
  };
  for (int i = 0; i < 2; ++i, reopen()) {
    EXPECT_EQ(list("ann", std::nullopt, 10).total, 3u);
    EXPECT_EQ(list("ann", api::SessionStatus::kPlanning, 10).items.at(0).id, made[0]);
    EXPECT_EQ(list("ann", api::SessionStatus::kExecuting, 10).total, 1u);
    EXPECT_EQ(list("ann", api::SessionStatus::kExecuting, 10).items.at(0).id, made[1]);
    EXPECT_EQ(list("ann", api::SessionStatus::kCompleted, 10).items.at(0).status, api::SessionStatus::kCompleted);
    EXPECT_EQ(list("bob", api::SessionStatus::kPlanning, 10).total, 0u);
    EXPECT_EQ(list(std::nullopt, api::SessionStatus::kExecuting, 1).total, 2u);
    EXPECT_EQ(list(std::nullopt, api::SessionStatus::kExecuting, 1).items.at(0).id, made[3]);
    EXPECT_EQ(reader_->session(made[2])->status, api::SessionStatus::kCompleted);
  }
}

TEST_P(RunStoreContract, AChangeOfTasksOrItemsIsAnUpdateOfTheSession) {
  const SessionId session = begin_session();
  const auto updated_at = [&] { return reader_->session(session)->updated_at; };
  LiveRunView run = begin_run(session);
  WallTime at = append_items(run, effects_with({a_task(0)}));
  EXPECT_EQ(updated_at(), at);
  at = append_items(run, effects_with({an_artifact()}));
  EXPECT_EQ(updated_at(), at);
  at = append_items(run, effects_with({a_data_item()}));
  EXPECT_EQ(updated_at(), at);
  at = append_items(run, effects_with(api::SessionStatus::kExecuting));
  EXPECT_EQ(updated_at(), at);
  clock_.step_wall(std::chrono::hours(-1));
  append_items(run, effects_with({a_task(0)}));
  EXPECT_EQ(updated_at(), at);
}

}  // namespace braidlog::testing
