#include "store/sqlite/run_writes.h"

#include <algorithm>

#include "base/check.h"
#include "store/sqlite/checksum.h"

namespace braidlog::store {

// ---- a new run ----

Result<WriteOutcome> RunWrites::apply(const NewRun& write) {
  BRAIDLOG_CHECK(write.record_count > 0 && !write.records.empty());
  const auto session = look_at_session(write);
  if (!session) return fail(session.error());
  auto checked = check(write, *session);
  if (!checked || checked->existing_run) return checked;
  if (write.new_session) {
    if (auto made = sessions_.apply(NewSession{*write.new_session}); !made) return made;
  }
  return checked->waits ? queue(write, *checked) : begin(write, *session, *checked);
}

Result<WriteOutcome> RunWrites::begin(const NewRun& write, const Session& session, WriteOutcome outcome) {
  const RunId id = write.run.id;
  const SessionId session_id = write.run.session_id;
  const Sequence last{write.record_count};
  const RunColumns columns = merge({.status = write.run.status,
                                    .started_at = write.run.started_at,
                                    .ended_at = write.run.ended_at,
                                    .failure = write.run.failure,
                                    .failure_message = write.run.failure_message,
                                    .usage = write.run.usage},
                                   write.effects);
  if (auto status = insert_run(write, write.record_count, columns); !status) return fail(status.error());
  std::optional<std::uint64_t> next_position = write.expected_message_count;
  if (auto status = effects_.apply(id, session_id, write.effects, next_position); !status) {
    return fail(status.error());
  }
  const WallTime used_at = columns.ended_at.value_or(write.run.created_at);
  if (auto status = effects_.touch_session(session_id, used_at, session.updated_at); !status) {
    return fail(status.error());
  }
  if (is_over(columns.status)) {
    if (auto status = seal(id, last, write.records, true); !status) return fail(status.error());
    return outcome;
  }
  LiveRun run{.session_id = session_id,
              .epoch = 1,
              .last = last,
              .columns = columns,
              .may_wait = !write.effects.approvals_opened.empty(),
              .next_position = next_position,
              .session_used_at = used_at};
  journal_.stage({.run_id = id, .first = {1}, .count = write.record_count, .records = write.records}, run);
  live_.put(id, std::move(run));
  return outcome;
}

// Only that it was asked for is in the log yet.
Result<WriteOutcome> RunWrites::queue(const NewRun& write, WriteOutcome outcome) {
  const RunColumns columns{.status = RunStatus::kQueued};
  if (auto status = insert_run(write, 1, columns); !status) return fail(status.error());
  LiveRun run{.session_id = write.run.session_id, .epoch = 1, .last = {1}, .columns = columns};
  journal_.stage({.run_id = write.run.id,
                  .first = {1},
                  .count = 1,
                  .records = std::string_view(write.records).substr(0, write.first_record_bytes)},
                 run);
  live_.put(write.run.id, std::move(run));
  return outcome;
}

Result<WriteOutcome> RunWrites::check(const NewRun& write, const Session& session) {
  auto existing = find_key(write);
  if (!existing) return fail(existing.error());
  if (*existing) return WriteOutcome{.existing_run = *existing};
  if (!write.may_begin) return fail(ErrorCode::kRateLimited, "no more runs may begin");

  const SessionTurns turns = live_.turns_of(write.run.session_id);
  if (const auto& active = turns.at_work ? turns.at_work : turns.first_waiting) {
    if (write.may_wait) return check_waiting(write, turns);
    return fail(ErrorCode::kActiveRunExists, "The session already has an active run", to_prefixed(*active));
  }
  if (session.message_count != write.expected_message_count) {
    return fail(ErrorCode::kFenced, "the session has changed in between");
  }
  if (write.expected_task_version && *write.expected_task_version != session.task_version) {
    return fail(ErrorCode::kFenced, "the tasks of the session have changed in between");
  }
  return WriteOutcome{.auto_approve = session.auto_approve};
}

Result<RunWrites::Session> RunWrites::look_at_session(const NewRun& write) {
  Session session;
  if (write.new_session) {
    session.auto_approve = write.new_session->auto_approve;
    session.task_version = write.new_session->task_version;
    session.updated_at = write.new_session->updated_at;
    return session;
  }
  auto found = find_session_.one(
      [&](const Row& row) {
        session.message_count = row.number(0);  // 0 when there is none
        session.auto_approve = row.boolean(1);
        session.task_version = row.number(2);
        session.updated_at = row.time(3);
      },
      write.run.session_id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kSessionNotFound, "Session not found");
  return session;
}

Result<WriteOutcome> RunWrites::check_waiting(const NewRun& write, const SessionTurns& turns) {
  if (turns.waiting_count >= write.waiting_max) {
    return fail(ErrorCode::kRateLimited, "too many turns wait in this session");
  }
  if (turns.last_waiting && *turns.last_waiting > write.run.id) {
    return fail(ErrorCode::kFenced, "a later turn has an earlier id", to_prefixed(*turns.last_waiting));
  }
  return WriteOutcome{.waits = true};
}

Result<std::optional<RunId>> RunWrites::find_key(const NewRun& write) {
  if (write.idempotency_key.empty()) return std::nullopt;
  RunId run_id;
  bool same = false;
  const auto take = [&](const Row& row) {
    same = row.view(0) == write.fingerprint;
    run_id = row.id<RunId>(1);
  };
  const auto& scope = write.key_scope;
  auto found = scope.session_id ? find_key_.one(take, *scope.session_id, write.idempotency_key)
                                : find_key_.one(take, scope.user_id, write.idempotency_key);
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  if (!same) return fail(ErrorCode::kIdempotencyConflict, "the idempotency key was used for another request");
  return run_id;
}

Status RunWrites::insert_run(const NewRun& write, std::uint32_t record_count, const RunColumns& columns) {
  const api::Run& run = write.run;
  if (auto status = insert_run_.run(run.id, run.session_id, run.user_id, run.agent, run.contract, columns.status,
                                    run.created_at, columns.started_at, columns.ended_at, columns.failure,
                                    columns.failure_message, columns.usage, record_count, write.owner, write.text);
      !status) {
    return status;
  }
  if (write.idempotency_key.empty()) return {};
  const auto& scope = write.key_scope;
  return scope.session_id
             ? insert_key_.run(*scope.session_id, write.idempotency_key, write.fingerprint, run.id, run.session_id)
             : insert_key_.run(scope.user_id, write.idempotency_key, write.fingerprint, run.id, run.session_id);
}

// ---- more events ----

std::size_t RunWrites::take_journal_only(std::span<const Write> writes) {
  Group runs;
  std::size_t taken = 0;
  while (const std::size_t count = find_runs(writes.subspan(taken), runs)) {
    for (std::size_t i = 0; i < count; ++i, ++taken) {
      if (!take_journal_only(std::get<Append>(writes[taken]), runs[i])) return taken;
    }
  }
  return taken;
}

// The runs of the next appends, as many as fit; how many that were. With a thousand runs at work each is out of the
// cache when its turn comes: asked for one right after the other, they come in the time of one or two.
std::size_t RunWrites::find_runs(std::span<const Write> writes, Group& runs) {
  std::size_t count = 0;
  for (; count < std::min(writes.size(), runs.size()); ++count) {
    const auto* append = std::get_if<Append>(&writes[count]);
    if (!append || append->sealed) break;
    __builtin_prefetch(append->records.data());
    runs[count] = live_.find(append->run_id);
    __builtin_prefetch(runs[count]);
  }
  return count;
}

bool RunWrites::take_journal_only(const Append& write, LiveRun* run) {
  if (!run || run->epoch != write.epoch || run->last != write.follows) return false;
  if (!is_shown(run->columns, write.effects)) return false;
  add_to_journal(write, *run);
  live_.advance(*run, write.record_count);
  return true;
}

void RunWrites::add_to_journal(const Append& write, const LiveRun& run) {
  BRAIDLOG_CHECK(write.records.empty() == (write.record_count == 0));
  if (write.record_count == 0) return;
  journal_.stage(
      {.run_id = write.run_id, .first = write.follows.next(), .count = write.record_count, .records = write.records},
      run);
}

Result<WriteOutcome> RunWrites::apply(const Append& write) {
  BRAIDLOG_CHECK(is_over(write.effects->status) == write.sealed.has_value());
  if (auto status = check(write); !status) return fail(status.error());

  LiveRun run = *live_.find(write.run_id);
  run.last.value += write.record_count;
  run.may_wait = run.may_wait || !write.effects->approvals_opened.empty();
  RunColumns columns = merge(run.columns, *write.effects);
  if (auto status = effects_.apply(write.run_id, run.session_id, *write.effects, run.next_position); !status) {
    return fail(status.error());
  }
  if (write.sealed || columns != run.columns) {
    if (auto status = effects_.write_columns(write.run_id, run.last, columns); !status) return fail(status.error());
    run.columns = std::move(columns);
  }
  if (write.sealed) return end(write, std::move(run));
  add_to_journal(write, run);
  live_.put(write.run_id, std::move(run));
  return WriteOutcome{};
}

Result<WriteOutcome> RunWrites::end(const Append& write, LiveRun run) {
  if (run.columns.ended_at) {
    if (auto status = effects_.touch_session(run.session_id, *run.columns.ended_at, run.session_used_at); !status) {
      return fail(status.error());
    }
  }
  if (auto status = seal(write.run_id, run.last, *write.sealed, run.may_wait); !status) return fail(status.error());
  journal_.stage_end(write.run_id, run);
  live_.erase(write.run_id);
  const SessionTurns turns = live_.turns_of(run.session_id);
  return WriteOutcome{.next_run = turns.at_work ? std::nullopt : turns.first_waiting};
}

Status RunWrites::check(const Append& write) {
  if (const LiveRun* run = live_.find(write.run_id)) {
    if (run->epoch != write.epoch) return fail(ErrorCode::kFenced, "another owner has the run");
    if (run->last != write.follows) return fail(ErrorCode::kFenced, "the run has other events than expected");
    return {};
  }
  std::uint64_t epoch = 0;
  auto found = find_run_.one([&](const Row& row) { epoch = row.number(0); }, write.run_id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kRunNotFound, "Run not found");
  if (epoch != write.epoch) return fail(ErrorCode::kFenced, "another owner has the run");
  return fail(ErrorCode::kInvalidState, "the run is over");
}

Status RunWrites::seal(RunId run_id, Sequence last, std::string_view records, bool may_wait) {
  if (may_wait) {
    if (auto status = effects_.close_run(run_id); !status) return status;
  }
  if (journal_.has_carried(run_id)) {
    if (auto status = delete_records_.run(run_id); !status) return status;
  }
  return insert_record_.run(run_id, last.value, Blob{records}, checksum_of(records));
}

// ---- fewer events ----

Result<WriteOutcome> RunWrites::apply(const ExpireRuns& write) {
  std::vector<RunId> due;
  auto found =
      find_expired_.each([&](const Row& row) { due.push_back(row.id<RunId>(0)); }, write.ended_before, write.count_max);
  if (!found) return fail(found.error());
  for (const RunId id : due) {
    if (auto status = delete_records_.run(id); !status) return fail(status.error());
    if (auto status = mark_expired_.run(id); !status) return fail(status.error());
  }
  if (!due.empty()) journal_.stage_removal();
  return WriteOutcome{.expired = static_cast<std::uint32_t>(due.size())};
}

// ---- orders ----

Result<WriteOutcome> RunWrites::apply(const PlaceOrder& write) {
  if (!live_.find(write.run_id)) {
    auto found = find_run_.one([](const Row&) {}, write.run_id);
    if (!found) return fail(found.error());
    if (!*found) return fail(ErrorCode::kRunNotFound, "Run not found");
    return fail(ErrorCode::kInvalidState, "the run is over");
  }
  LiveRun run = *live_.find(write.run_id);
  run.may_wait = true;
  live_.put(write.run_id, std::move(run));
  const RunOrder& order = write.order;
  if (order.kind == RunOrder::Kind::kDecide) {
    if (auto status = check_approval(write); !status) return fail(status.error());
    if (auto status = decide_.run(order.verdict, order.approval_id); !status) return fail(status.error());
  }
  if (auto status = insert_order_.run(write.run_id, order.kind, order.user_id, order.reason, order.approval_id,
                                      order.verdict, order.apply_to_future);
      !status) {
    return fail(status.error());
  }
  return WriteOutcome{.order_id = static_cast<std::uint64_t>(database_.last_insert_id())};
}

Status RunWrites::check_approval(const PlaceOrder& write) {
  bool decided = false;
  auto found =
      find_approval_.one([&](const Row& row) { decided = !row.is_null(0); }, write.order.approval_id, write.run_id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kApprovalNotFound, "Approval not found");
  if (decided) return fail(ErrorCode::kAlreadyDecided, "the approval was decided before");
  return {};
}

}  // namespace braidlog::store
