// The journal: the events of unfinished runs in the order they arrived, one row per commit. A commit costs
// one insert at the end of one table, however many runs it holds, and "in the journal and not sealed" means
// "not ended".
//
//   row   := version entry*                               version is the byte 1
//   entry := run_id first count length records            run_id 16 bytes; the numbers unsigned LEB128
//
// `first` is the sequence of the first record, `count` how many there are, `length` their bytes
// (event/encoding.h). README.md has an example.
//
// A run that ends goes whole into run_record (RunWrites), and the rows that only it needed are deleted later: a
// range of about 256 KB per commit, below the oldest row that an unfinished run still needs. A long delete would
// stall every run that waits for its commit. So that a run which waits a week for an approval holds back nothing,
// a journal over its limit gives up its oldest range anyway: what unfinished runs have in it is carried into
// run_record, as pieces.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "event/sequence.h"
#include "store/sqlite/live_runs.h"
#include "store/sqlite/scrubber.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

struct JournalEntry {
  RunId run_id;
  Sequence first;
  std::uint64_t count = 0;
  std::string_view records;
};

void append_journal_entry(std::string& row, const JournalEntry& entry);
// Calls `take` with each entry of a row; kStorage when the bytes are not a row.
Status read_journal_row(std::string_view row, const std::function<Status(const JournalEntry&)>& take);

// Runs on: the store's writer thread.
class Journal {
 public:
  // Over `bytes_max` the oldest events are carried out.
  Journal(Database& database, Scrubber& scrubber, std::uint64_t bytes_max)
      : database_(database), scrubber_(scrubber), bytes_max_(bytes_max) {}

  // Reads the whole journal after a start: where each unfinished run stands in it, and the last sequence of each,
  // which goes into `live`. kStorage when events are missing or come twice.
  Status load(LiveRuns& live);
  // Every record of the runs in `live`, from sequence 1; kStorage when the bytes are no records.
  Result<std::unordered_map<RunId, std::string>> records(const LiveRuns& live);

  // Collects for the row of this commit. `run` is the entry's, as it is kept in LiveRuns, or will be.
  void stage(const JournalEntry& entry, const LiveRun& run);
  // The run has ended in this commit: its rows are no longer needed.
  void stage_end(RunId run_id, const LiveRun& run) { ended_.emplace_back(run_id, run.first_row); }
  // Data was removed on purpose: what the journal still has of it goes with the next commits, whatever the size of
  // the ranges and whoever else needs them.
  void stage_removal() { removal_ = true; }
  // After a start, when removed data may still be here: everything is to go.
  void purge_all();
  // Something is still to go: write() and commit until nothing is.
  bool must_purge() const { return !closed_.empty() && closed_.front().last_id <= purge_upto_; }

  // Inside the transaction: writes the row and deletes one range. `live` are the runs that go on after this commit.
  Status write(const LiveRuns& live);
  // After the transaction; exactly one of the two follows each write(). `live` as it was in write(), kept.
  void committed(LiveRuns& live);
  void abandon();

  // Pieces of the run may be in run_record.
  bool has_carried(RunId run_id) const { return carried_.contains(run_id); }

  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Range {
    std::int64_t last_id = 0;
    std::uint64_t bytes = 0;
  };
  // Of an unfinished run, while the journal is loaded.
  struct Found {
    Sequence last;
    std::int64_t first_row = 0;
  };
  using FoundRuns = std::unordered_map<RunId, Found>;

  static Status extend(Found& run, Sequence first, std::uint64_t count);
  Status load_pieces(FoundRuns& runs);
  Status load_rows(FoundRuns& runs);
  Status carry(std::int64_t last_id, const LiveRuns& live);
  Status delete_rows(std::int64_t last_id);
  void note_carried(std::int64_t last_id, LiveRuns& live);
  void note_row(std::int64_t id, std::uint64_t bytes);
  // Sets the run's first row, or with 0 that there is none.
  void pin(LiveRun& run, std::int64_t row_id);
  void unpin(std::int64_t row_id);
  // Rows below this one are needed by no unfinished run.
  std::int64_t oldest_needed() const { return starts_.empty() ? next_id_ : starts_.begin()->first; }

  Database& database_;
  Scrubber& scrubber_;
  const std::uint64_t bytes_max_;
  Statement insert_{database_, "INSERT INTO journal(id, body) VALUES(?, ?)"};
  Statement delete_{database_, "DELETE FROM journal WHERE id <= ?"};
  Statement scan_{database_, "SELECT id, body FROM journal ORDER BY id"};
  Statement scan_range_{database_, "SELECT body FROM journal WHERE id <= ? ORDER BY id"};
  Statement insert_piece_{database_,
                          "INSERT INTO run_record(run_id, first_sequence, record_count, body) VALUES(?, ?, ?, ?)"};
  Statement scan_pieces_{database_,
                         "SELECT run_id, first_sequence, record_count, body FROM run_record"
                         " WHERE run_id IN (SELECT id FROM run WHERE status < 4) ORDER BY run_id, first_sequence"};

  // The journal as it is on disk.
  std::int64_t next_id_ = 1;
  std::uint64_t bytes_ = 0;
  std::int64_t purge_upto_ = 0;                   // rows up to here hold what was removed
  std::deque<Range> closed_;                      // oldest first
  Range open_;                                    // still filling
  std::unordered_set<RunId> carried_;             // unfinished runs with pieces in run_record
  std::map<std::int64_t, std::uint32_t> starts_;  // row: of how many unfinished runs it is the first

  // This commit.
  std::string row_;
  std::vector<RunId> entered_;                         // had nothing in the journal before
  std::vector<RunId> left_;                            // all that they had in it was carried
  std::vector<std::pair<RunId, std::int64_t>> ended_;  // with their first row
  bool removal_ = false;
  bool reclaiming_ = false;
};

}  // namespace braidlog::store
