#include "store/sqlite/run_store.h"

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/schema.h"

namespace braidlog::store {

namespace {

// A run's writes check first and write after, so that a refused one has touched nothing. Only the id of something new
// can be found taken when something is written already.
bool may_fail_halfway(const RunEffects& effects) {
  return !effects.approvals_opened.empty() || !effects.artifacts.empty() || !effects.data_items.empty();
}
bool may_fail_halfway(const Write& write) {
  if (const auto* append = std::get_if<Append>(&write)) return may_fail_halfway(*append->effects);
  if (const auto* run = std::get_if<LazyBox<NewRun>>(&write)) return may_fail_halfway((*run)->effects);
  return true;
}

bool is_removal(const Write& write) {
  return std::holds_alternative<RemoveSession>(write) || std::holds_alternative<ExpireRuns>(write) ||
         std::holds_alternative<RemoveArtifact>(write);
}

}  // namespace

Result<std::unique_ptr<SqliteRunStore>> SqliteRunStore::open(const Options& options) {
  auto folder = DataFolder::open(options.folder);
  if (!folder) return fail(folder.error());
  if (auto status = folder->prepare_database(options.durability == Durability::kFull); !status)
    return fail(status.error());
  prepare_library();
  auto vfs = std::make_unique<LogVfs>();
  auto database = Database::open(folder->database_path(), Database::Access::kWrite, vfs->name());
  if (!database) return fail(database.error());
  if (auto status = migrate(**database); !status) return fail(status.error());
  if (auto status = (*database)->configure_writer(options.durability); !status) return fail(status.error());
  std::unique_ptr<SqliteRunStore> store(
      new SqliteRunStore(std::move(*folder), std::move(vfs), std::move(*database), options));
  if (auto status = store->load(); !status) return fail(status.error());
  store->database_->keep_tidy();
  return store;
}

SqliteRunStore::SqliteRunStore(DataFolder folder, std::unique_ptr<LogVfs> vfs, std::unique_ptr<Database> database,
                               const Options& options)
    : disk_used_percent_max_(options.disk_used_percent_max),
      folder_(std::move(folder)),
      vfs_(std::move(vfs)),
      database_(std::move(database)),
      journal_(*database_, scrubber_, options.journal_bytes_max) {}

SqliteRunStore::~SqliteRunStore() = default;

Status SqliteRunStore::load() {
  Statement unfinished(*database_, "SELECT " BRAIDLOG_RUN_COLUMNS ", epoch FROM run WHERE status < 4");
  auto found = unfinished.each([&](const Row& row) {
    const api::Run run = read_run(row);
    live_.put(run.id, {.session_id = run.session_id,
                       .epoch = row.number(18),
                       .last = run.last,
                       .columns = {.status = run.status,
                                   .started_at = run.started_at,
                                   .ended_at = run.ended_at,
                                   .failure = run.failure,
                                   .failure_message = run.failure_message,
                                   .usage = run.usage},
                       .may_wait = true});
  });
  if (!found) return fail(found.error());
  if (auto loaded = journal_.load(live_); !loaded) return loaded;
  const auto left = scrubber_.load();
  if (!left) return fail(left.error());
  untidy_ = *left;
  if (untidy_) journal_.purge_all();
  return {};
}

// ---- commit ----

std::vector<Result<WriteOutcome>> SqliteRunStore::commit(std::span<const Write> writes) {
  std::vector<Result<WriteOutcome>> outcomes;
  if (writes.empty()) return outcomes;
  outcomes.reserve(writes.size());
  rests_.before_work();
  const auto status = write_all(writes, outcomes);
  rests_.after_work();
  if (!status) {
    live_.undo();
    journal_.abandon();
    outcomes.assign(writes.size(), fail(ErrorCode::kStorage, status.error().message));
    return outcomes;
  }
  live_.keep();
  journal_.committed(live_);
  return outcomes;
}

Status SqliteRunStore::write_all(std::span<const Write> writes, std::vector<Result<WriteOutcome>>& outcomes) {
  // A commit whose sync failed is rolled back, but its frames stand in the log, whole. Written over in part they would
  // look like damage after a crash (log_check.h).
  if (log_has_remains_) {
    if (auto status = scrubber_.empty_log(); !status) return fail(ErrorCode::kStorage, status.error().message);
    log_has_remains_ = false;
  }
  Transaction transaction(*database_);
  if (auto status = transaction.begin(Transaction::Kind::kWrite); !status) return status;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    i += run_writes_.take_journal_only(writes.subspan(i));
    outcomes.resize(i);
    if (i == writes.size()) break;
    auto outcome = write_one(writes[i]);
    if (!outcome && outcome.error().code == ErrorCode::kStorage) return fail(std::move(outcome.error()));
    outcomes.push_back(std::move(outcome));
  }
  if (auto status = journal_.write(live_); !status) return status;
  auto committed = transaction.commit();
  log_has_remains_ = !committed;
  return committed;
}

// ---- what deletions leave behind ----

Result<WriteOutcome> SqliteRunStore::remove(const Write& write) {
  if (auto status = scrubber_.begin_deletion(); !status) return fail(status.error());
  auto outcome = dispatch(write);
  if (!outcome || (std::holds_alternative<ExpireRuns>(write) && outcome->expired == 0)) return outcome;
  if (auto status = scrubber_.end_deletion(); !status) return fail(status.error());
  if (auto status = scrubber_.demand(); !status) return fail(status.error());
  untidy_ = true;
  return outcome;
}

RunStore::Tidiness SqliteRunStore::tidy() {
  if (!untidy_) return Tidiness::kTidy;
  const auto done = tidy_step();
  if (!done) {
    if (!std::exchange(tidying_fails_, true)) {
      log_warn("what was deleted cannot be cleared from the disk yet", {{"error", done.error().message}});
    }
    return Tidiness::kBlocked;
  }
  tidying_fails_ = false;
  untidy_ = !*done;
  return untidy_ ? Tidiness::kMore : Tidiness::kTidy;
}

Result<bool> SqliteRunStore::tidy_step() {
  if (!journal_.must_purge()) return scrubber_.step();
  if (auto status = purge_step(); !status) return fail(status.error());
  return false;
}

Status SqliteRunStore::purge_step() {
  std::vector<Result<WriteOutcome>> none;
  if (auto status = write_all({}, none); !status) {
    journal_.abandon();
    return status;
  }
  journal_.committed(live_);
  return {};
}

Result<WriteOutcome> SqliteRunStore::write_one(const Write& write) {
  if (std::holds_alternative<LazyBox<NewRun>>(write) && folder_.disk_used_percent() > disk_used_percent_max_) {
    return fail(ErrorCode::kUnavailable, "the disk of the data folder is nearly full");
  }
  if (!may_fail_halfway(write)) return dispatch(write);
  if (auto status = savepoint_.run(); !status) return fail(status.error());
  auto outcome = is_removal(write) ? remove(write) : dispatch(write);
  if (!outcome) {
    if (outcome.error().code == ErrorCode::kStorage) return outcome;  // the whole transaction is given up
    if (auto status = rollback_to_.run(); !status) return fail(ErrorCode::kStorage, status.error().message);
  }
  if (auto status = release_.run(); !status) return fail(ErrorCode::kStorage, status.error().message);
  return outcome;
}

Result<WriteOutcome> SqliteRunStore::dispatch(const Write& write) {
  return std::visit(
      [this](const auto& one) -> Result<WriteOutcome> {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, NewSession> || std::is_same_v<T, SetSession> ||
                      std::is_same_v<T, RemoveSession>) {
          return session_writes_.apply(one);
        } else if constexpr (std::is_same_v<T, AddAlert>) {
          return alert_writes_.apply(one);
        } else if constexpr (std::is_same_v<T, RemoveArtifact>) {
          return item_writes_.apply(one);
        } else {
          return run_writes_.apply(one);
        }
      },
      write);
}

// ---- claim ----

Result<std::vector<ClaimedRun>> SqliteRunStore::claim_runs(const std::string& owner) {
  Transaction transaction(*database_);
  if (auto status = transaction.begin(Transaction::Kind::kWrite); !status) return fail(status.error());
  auto claimed = advance_epochs(owner).and_then([&] { return read_claimed(); });
  if (claimed) {
    if (auto status = transaction.commit(); !status) claimed = fail(status.error());
  }
  claimed ? live_.keep() : live_.undo();
  return claimed;
}

// The folder's lock says that no other server lives, so every unfinished run is without a living owner.
Status SqliteRunStore::advance_epochs(const std::string& owner) {
  Statement update(*database_, "UPDATE run SET epoch = epoch + 1, owner = ? WHERE status < 4");
  if (auto status = update.run(owner); !status) return status;
  for (const auto& [id, run] : live_) {
    LiveRun next = *run;
    ++next.epoch;
    live_.put(id, std::move(next));
  }
  return {};
}

Result<std::vector<ClaimedRun>> SqliteRunStore::read_claimed() {
  auto records = journal_.records(live_);
  if (!records) return fail(records.error());
  std::vector<ClaimedRun> claimed;
  Statement unfinished(*database_, "SELECT " BRAIDLOG_RUN_COLUMNS " FROM run WHERE status < 4 ORDER BY id");
  auto found = unfinished.each([&](const Row& row) {
    ClaimedRun one{.run = read_run(row)};
    const LiveRun* live = live_.find(one.run.id);
    one.epoch = live->epoch;
    one.run.last = live->last;
    one.records = std::move((*records)[one.run.id]);
    claimed.push_back(std::move(one));
  });
  if (!found) return fail(found.error());
  Statement orders(*database_,
                   "SELECT id, kind, user_id, reason, approval_id, verdict, apply_to_future FROM run_order"
                   " WHERE run_id = ? ORDER BY id");
  for (ClaimedRun& one : claimed) {
    auto read = orders.each(
        [&](const Row& row) {
          one.orders.push_back({.id = row.number(0),
                                .kind = static_cast<RunOrder::Kind>(row.integer(1)),
                                .user_id = row.text(2),
                                .reason = row.text(3),
                                .approval_id = row.id<ApprovalId>(4),
                                .verdict = static_cast<Verdict>(row.integer(5)),
                                .apply_to_future = row.boolean(6)});
        },
        one.run.id);
    if (!read) return fail(read.error());
  }
  return claimed;
}

Result<Id128> SqliteRunStore::newest_id() {
  SessionId newest;
  Statement find(*database_,
                 "SELECT max(x) FROM (SELECT max(id) AS x FROM session UNION ALL SELECT max(id) FROM run"
                 " UNION ALL SELECT max(id) FROM approval)");
  auto found = find.one([&](const Row& row) { newest = row.id<SessionId>(0); });
  if (!found) return fail(found.error());
  return newest.value;
}

Result<std::unique_ptr<StoreReader>> SqliteRunStore::open_reader() {
  auto database = Database::open(folder_.database_path(), Database::Access::kRead);
  if (!database) return fail(database.error());
  // SQLite opens the write-ahead log at the first read; a reader is to need no descriptor later on.
  if (auto read = (*database)->exec("SELECT 1 FROM sqlite_schema LIMIT 1"); !read) return fail(read.error());
  return std::make_unique<SqliteReader>(std::move(*database));
}

}  // namespace braidlog::store
