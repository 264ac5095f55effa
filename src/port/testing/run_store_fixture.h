// What the tests of a RunStore share: a place that a store can be opened on again and again, and short ways to make
// sessions, runs and events.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/fake_loop.h"
#include "event/encoding.h"
#include "port/run_store.h"

namespace braidlog::testing {

// Where the data of a store lives. Empty when made; destroyed with all its data.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  // A store on what earlier ones left here. The earlier one is gone by then.
  virtual Result<std::unique_ptr<RunStore>> open() = 0;
};
using StorePlaceFactory = std::unique_ptr<StorePlace> (*)();

// A run as its writer sees it.
struct LiveRunView {
  RunId id;
  SessionId session_id;
  std::uint64_t epoch = 1;
  Sequence last;
  std::string records;
};

class RunStoreFixture : public ::testing::Test {
 protected:
  // To be called first.
  void open_place(std::unique_ptr<StorePlace> place) {
    place_ = std::move(place);
    reopen();
  }
  void reopen() {
    reader_.reset();
    store_.reset();
    auto store = place_->open();
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
    auto reader = store_->open_reader();
    ASSERT_TRUE(reader) << reader.error().message;
    reader_ = std::move(*reader);
  }

  // ---- values
  template <class IdType>
  IdType id() {
    return ids_.make<IdType>();
  }
  WallTime now() {
    clock_.advance(std::chrono::milliseconds(10));
    return clock_.wall();
  }
  api::Session a_session(const std::string& user_id = "ann") {
    api::Session session;
    session.id = id<SessionId>();
    session.user_id = user_id;
    session.title = "Title";
    session.agent = "writer";
    session.contract = "runs";
    session.created_at = session.updated_at = now();
    return session;
  }
  NewRun a_run(SessionId session_id) {
    NewRun write;
    write.run.id = id<RunId>();
    write.run.session_id = session_id;
    write.run.user_id = "ann";
    write.run.agent = "writer";
    write.run.contract = "runs";
    write.run.created_at = now();
    write.owner = "server-1";
    write.key_scope.session_id = session_id;
    write.effects.status = RunStatus::kRunning;
    write.record_count = 1;
    add_record(write.records, {1}, RunQueued{.session_id = session_id, .user_id = "ann", .text = "hello"});
    return write;
  }
  api::Message a_message(RunId run_id, std::string content) {
    return {
        .id = id<MessageId>(), .role = "user", .content = std::move(content), .created_at = now(), .run_id = run_id};
  }
  api::Approval an_approval(const LiveRunView& run) {
    return {.id = id<ApprovalId>(),
            .run_id = run.id,
            .session_id = run.session_id,
            .tool_name = "file_write",
            .args_json = R"({"path":"a.txt"})",
            .created_at = now()};
  }
  TaskItem a_task(std::uint32_t order, std::string title = "Look", TaskStatus status = TaskStatus::kPending) {
    return {.id = id<TaskId>(), .title = std::move(title), .description = "Why", .status = status, .order = order};
  }
  api::Artifact an_artifact(std::string type = "note", std::string content = "text") {
    return {.id = id<ArtifactId>(),
            .session_id = {},
            .task_id = std::nullopt,
            .name = "notes.md",
            .type = std::move(type),
            .content = std::move(content),
            .created_at = now()};
  }
  DataItemChange a_data_item(std::string item_type = "city", std::string data_json = R"({"name":"Rome"})") {
    const WallTime at = now();
    return {.item = {.id = id<DataItemId>(),
                     .session_id = {},
                     .item_type = std::move(item_type),
                     .data_json = std::move(data_json),
                     .created_at = at,
                     .updated_at = at}};
  }
  Append an_append(const LiveRunView& run, const std::string& text = "word ") {
    Append write{.run_id = run.id, .follows = run.last, .epoch = run.epoch, .record_count = 1};
    add_record(write.records, run.last.next(), TextDelta{.turn = 1, .part = 1, .text = text});
    return write;
  }
  Append an_end(const LiveRunView& run, RunStatus status = RunStatus::kCompleted) {
    Append write{.run_id = run.id, .follows = run.last, .epoch = run.epoch, .record_count = 1};
    write.effects.touch().status = status;
    write.effects.touch().ended_at = now();
    add_record(write.records, run.last.next(), RunCompleted{.final_text = "done"});
    write.sealed = run.records + write.records;
    return write;
  }
  static PlaceOrder a_decision(const api::Approval& approval, Verdict verdict = Verdict::kApproved) {
    return {.run_id = approval.run_id,
            .order = {.kind = RunOrder::Kind::kDecide,
                      .user_id = "ann",
                      .reason = "fine",
                      .approval_id = approval.id,
                      .verdict = verdict,
                      .apply_to_future = true}};
  }
  static PlaceOrder an_interrupt(RunId run_id) {
    return {.run_id = run_id, .order = {.kind = RunOrder::Kind::kInterrupt, .user_id = "ann", .reason = "user"}};
  }

  void add_record(std::string& out, Sequence sequence, RunEventBody body) {
    append_record(out, {.sequence = sequence, .at = now(), .elapsed_ms = 1, .body = std::move(body)});
  }

  // ---- what a writer does
  std::vector<Result<WriteOutcome>> commit(const std::vector<Write>& writes) { return store_->commit(writes); }
  Result<WriteOutcome> commit_one(const Write& write) {
    auto outcomes = store_->commit({&write, 1});
    EXPECT_EQ(outcomes.size(), 1u);
    return std::move(outcomes.front());
  }
  SessionId begin_session(const std::string& user_id = "ann") {
    const api::Session session = a_session(user_id);
    expect_ok(commit_one(NewSession{session}));
    return session.id;
  }
  LiveRunView begin_run(SessionId session_id) { return begin_run(a_run(session_id)); }
  LiveRunView begin_run(const NewRun& write) {
    expect_ok(commit_one(write));
    return {
        .id = write.run.id, .session_id = write.run.session_id, .last = {write.record_count}, .records = write.records};
  }
  void append(LiveRunView& run, const Append& write) {
    expect_ok(commit_one(write));
    run.last.value += write.record_count;
    run.records += write.records;
  }
  // Appends an event with these effects, which change something of tasks, artifacts or data items.
  WallTime append_items(LiveRunView& run, RunEffects effects) {
    Append write = an_append(run);
    write.effects = std::move(effects);
    write.effects.touch().changed_at = now();
    append(run, write);
    return *write.effects.touch().changed_at;
  }
  void append_text(LiveRunView& run, const std::string& text = "word ") { append(run, an_append(run, text)); }
  void end_run(LiveRunView& run) { append(run, an_end(run)); }
  api::Approval open_approval(LiveRunView& run) {
    Append write = an_append(run);
    write.effects.touch().status = RunStatus::kWaitingApproval;
    write.effects.touch().approvals_opened.push_back(an_approval(run));
    append(run, write);
    return write.effects.touch().approvals_opened.front();
  }

  static void expect_ok(const Result<WriteOutcome>& outcome) {
    EXPECT_TRUE(outcome) << name_of(outcome.error().code) << ": " << outcome.error().message;
  }
  template <class T>
  static void expect_error(const Result<T>& result, ErrorCode code) {
    ASSERT_FALSE(result) << "expected " << name_of(code);
    EXPECT_EQ(result.error().code, code) << name_of(result.error().code) << ": " << result.error().message;
    EXPECT_FALSE(result.error().message.empty());
  }

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<RunStore> store_;
  std::unique_ptr<StoreReader> reader_;
  FakeClock clock_;
  IdSource ids_{clock_, 7};
};

// Effects that change one thing.
inline RunEffects effects_with(std::vector<TaskItem> tasks) {
  RunEffects effects;
  effects.tasks = std::move(tasks);
  return effects;
}
inline RunEffects effects_with(TaskChange change) {
  RunEffects effects;
  effects.task_changes = {std::move(change)};
  return effects;
}
inline RunEffects effects_with(std::vector<api::Artifact> artifacts) {
  RunEffects effects;
  effects.artifacts = std::move(artifacts);
  return effects;
}
inline RunEffects effects_with(std::vector<DataItemChange> changes) {
  RunEffects effects;
  effects.data_items = std::move(changes);
  return effects;
}
inline RunEffects effects_with(api::SessionStatus status) {
  RunEffects effects;
  effects.session_status = status;
  return effects;
}

// The suite of run_store_contract.h.
class RunStoreContract : public RunStoreFixture, public ::testing::WithParamInterface<StorePlaceFactory> {
 protected:
  void SetUp() override { open_place(GetParam()()); }
};

}  // namespace braidlog::testing
