// The writes that concern a run: begin it, append to it, order it about. Each checks first and writes after;
// what the writer remembers of a run changes last, when everything else has succeeded.
#pragma once

#include <array>
#include <span>

#include "port/run_store.h"
#include "store/sqlite/effects.h"
#include "store/sqlite/journal.h"
#include "store/sqlite/live_runs.h"
#include "store/sqlite/session_writes.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread, inside a transaction.
class RunWrites {
 public:
  RunWrites(Database& database, LiveRuns& live, Journal& journal, SessionWrites& sessions, ItemWrites& items)
      : database_(database), live_(live), journal_(journal), sessions_(sessions), effects_(database, items) {}

  Result<WriteOutcome> apply(const NewRun& write);
  Result<WriteOutcome> apply(const Append& write);
  Result<WriteOutcome> apply(const PlaceOrder& write);
  Result<WriteOutcome> apply(const ExpireRuns& write);

  // Takes the appends at the beginning of `writes` that need no SQL of their own, the common case of a text delta: the
  // journal row is all of them, and nothing can fail. How many they are: the next write is not such a one, or one to
  // refuse; apply() it.
  std::size_t take_journal_only(std::span<const Write> writes);

 private:
  struct Session {
    std::uint64_t message_count = 0;
    bool auto_approve = false;
    std::uint64_t task_version = 0;
    WallTime updated_at;
  };

  Result<WriteOutcome> check(const NewRun& write, const Session& session);
  Result<Session> look_at_session(const NewRun& write);
  Result<std::optional<RunId>> find_key(const NewRun& write);
  static Result<WriteOutcome> check_waiting(const NewRun& write, const SessionTurns& turns);
  Result<WriteOutcome> begin(const NewRun& write, const Session& session, WriteOutcome outcome);
  Result<WriteOutcome> queue(const NewRun& write, WriteOutcome outcome);
  Status insert_run(const NewRun& write, std::uint32_t record_count, const RunColumns& columns);
  Result<WriteOutcome> end(const Append& write, LiveRun run);
  // Why the append is refused, when the run is not a live one of that epoch and sequence.
  Status check(const Append& write);
  Status check_approval(const PlaceOrder& write);
  using Group = std::array<LiveRun*, 16>;
  std::size_t find_runs(std::span<const Write> writes, Group& runs);
  bool take_journal_only(const Append& write, LiveRun* run);
  void add_to_journal(const Append& write, const LiveRun& run);
  Status seal(RunId run_id, Sequence last, std::string_view records, bool may_wait);

  Database& database_;
  LiveRuns& live_;
  Journal& journal_;
  SessionWrites& sessions_;
  Effects effects_;

  Statement find_session_{
      database_,
      "SELECT (SELECT position + 1 FROM message WHERE session_id = session.id ORDER BY position DESC LIMIT 1),"
      " auto_approve, task_version, updated_at FROM session WHERE id = ?"};
  Statement find_key_{database_, "SELECT fingerprint, run_id FROM run_key WHERE scope = ? AND key = ?"};
  Statement insert_key_{database_,
                        "INSERT INTO run_key(scope, key, fingerprint, run_id, session_id) VALUES(?, ?, ?, ?, ?)"};
  Statement insert_run_{
      database_,
      "INSERT INTO run(id, session_id, user_id, agent, contract, status, created_at, started_at, ended_at, "
      "failure,"
      " failure_message, input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, "
      "reasoning_tokens,"
      " last_sequence, replayable, owner, epoch, text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,1,?,1,?)"};
  Statement find_run_{database_, "SELECT epoch FROM run WHERE id = ?"};
  Statement delete_records_{database_, "DELETE FROM run_record WHERE run_id = ?"};
  Statement insert_record_{database_,
                           "INSERT INTO run_record(run_id, first_sequence, record_count, body, checksum)"
                           " VALUES(?, 1, ?, ?, ?)"};
  Statement find_expired_{database_,
                          "SELECT id FROM run WHERE ended_at IS NOT NULL AND replayable AND ended_at < ?"
                          " ORDER BY ended_at LIMIT ?"};
  Statement mark_expired_{database_, "UPDATE run SET replayable = 0 WHERE id = ?"};
  Statement find_approval_{database_, "SELECT verdict FROM approval WHERE id = ? AND run_id = ?"};
  Statement decide_{database_, "UPDATE approval SET verdict = ? WHERE id = ?"};
  Statement insert_order_{database_,
                          "INSERT INTO run_order(run_id, kind, user_id, reason, approval_id, verdict, apply_to_future)"
                          " VALUES(?, ?, ?, ?, ?, ?, ?)"};
};

}  // namespace braidlog::store
