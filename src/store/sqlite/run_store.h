// The store on SQLite: one file, one writer, many readers. See README.md for the layout.
//
// A commit() is one transaction. Events of unfinished runs go into one journal row (journal.h); a run that
// ends goes whole into run_record; everything else is a plain table. What the writer remembers (LiveRuns,
// Journal) follows the file: it changes for good only when the transaction is durable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "port/run_store.h"
#include "store/sqlite/alert_writes.h"
#include "store/sqlite/data_folder.h"
#include "store/sqlite/item_writes.h"
#include "store/sqlite/journal.h"
#include "store/sqlite/live_runs.h"
#include "store/sqlite/log_vfs.h"
#include "store/sqlite/run_writes.h"
#include "store/sqlite/scrubber.h"
#include "store/sqlite/session_writes.h"
#include "store/sqlite/writer_rests.h"

namespace braidlog::store {

// Runs on: the store's writer thread, except open_reader(). Readers may outlive it.
class SqliteRunStore final : public RunStore {
 public:
  struct Options {
    std::string folder;
    Durability durability = Durability::kFull;
    // Over this the journal gives up its oldest events, so that a run which lives long pins nothing (journal.h).
    std::uint64_t journal_bytes_max = 32 * 1024 * 1024;
    // Above this the disk of the folder counts as full: no new runs, so that those under way can end.
    std::size_t disk_used_percent_max = 100;
  };

  // Makes the folder and the database when they are missing, brings an older schema up to date, and holds the
  // folder against a second server until the store is destroyed. kStorage with one line for people otherwise:
  // in use, damaged, cut short, not a database, of a newer schema. Nothing is deleted or changed then.
  static Result<std::unique_ptr<SqliteRunStore>> open(const Options& options);
  ~SqliteRunStore() override;

  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override;
  Result<std::vector<ClaimedRun>> claim_runs(const std::string& owner) override;
  Result<std::unique_ptr<StoreReader>> open_reader() override;
  Result<Id128> newest_id() override;
  Tidiness tidy() override;

  // Bytes of events in the journal, the ones that wait to be reclaimed included. For metrics.
  std::uint64_t journal_bytes() const { return journal_.bytes(); }

 private:
  SqliteRunStore(DataFolder folder, std::unique_ptr<LogVfs> vfs, std::unique_ptr<Database> database,
                 const Options& options);
  Status load();
  Status write_all(std::span<const Write> writes, std::vector<Result<WriteOutcome>>& outcomes);
  Result<WriteOutcome> write_one(const Write& write);
  Result<WriteOutcome> remove(const Write& write);
  Status purge_step();
  Result<bool> tidy_step();
  Result<WriteOutcome> dispatch(const Write& write);
  Status advance_epochs(const std::string& owner);
  Result<std::vector<ClaimedRun>> read_claimed();

  const std::size_t disk_used_percent_max_;
  DataFolder folder_;  // released last
  std::unique_ptr<LogVfs> vfs_;
  std::unique_ptr<Database> database_;
  WriterRests rests_;
  LiveRuns live_;
  Scrubber scrubber_{*database_};
  Journal journal_;
  ItemWrites item_writes_{*database_};
  SessionWrites session_writes_{*database_, journal_, item_writes_};
  RunWrites run_writes_{*database_, live_, journal_, session_writes_, item_writes_};
  AlertWrites alert_writes_{*database_};
  bool untidy_ = false;           // something was removed and is not cleared yet
  bool tidying_fails_ = false;    // and that was said
  bool log_has_remains_ = false;  // a commit failed; its frames may still be there
  Statement savepoint_{*database_, "SAVEPOINT one"};
  Statement release_{*database_, "RELEASE one"};
  Statement rollback_to_{*database_, "ROLLBACK TO one"};
};

}  // namespace braidlog::store
