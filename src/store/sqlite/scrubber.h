// Makes deleted data go for good. A deleted row leaves its bytes in pages that SQLite keeps for reuse, and in the
// write-ahead log; clearing each at once (secure_delete) would double what a journal row costs. So the pages that were
// freed are counted, and after a deletion that somebody asked for they are filled with zeros and the log is emptied.
//
// A deletion leaves a row in the table `scrub` in its own transaction, so that a crash before the clearing is over
// only means that it begins again, with every free page.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread.
class Scrubber {
 public:
  explicit Scrubber(Database& database) : database_(database) {}

  // After a start: whether an earlier process left something to clear.
  Result<bool> load();

  // Inside a transaction, around what it deletes: counts the pages that this frees.
  Status begin_deletion();
  Status end_deletion();
  // Inside the transaction of a deletion that somebody asked for: it is to be cleared.
  Status demand();

  // One step, not inside a transaction. True: everything is cleared. kStorage when the disk refuses; kUnavailable when
  // a reader is in the way of emptying the log.
  Result<bool> step();
  // Empties the write-ahead log: what is in it goes into the database. Errors as of step().
  Status empty_log();

 private:
  Result<std::uint64_t> free_pages();
  Status fill_pages();
  Status let_go();

  Database& database_;
  Statement count_free_{database_, "PRAGMA freelist_count"};
  Statement demand_{database_, "INSERT INTO scrub(body) VALUES(x'')"};
  Statement find_{database_, "SELECT 1 FROM scrub LIMIT 1"};
  // Pages are handed out again, the last freed ones first: blobs of zeros take just those, and keep them until all
  // are filled.
  Statement fill_{database_, "INSERT INTO scrub(body) VALUES(zeroblob(?))"};
  Statement empty_{database_, "DELETE FROM scrub"};
  std::uint64_t free_before_ = 0;
  std::uint64_t dirty_pages_ = 0;  // free and not cleared
  std::uint64_t filled_pages_ = 0;
  std::uint64_t cleared_pages_ = 0;  // of the dirty ones, when the filling was over
  enum class Stage { kFill, kLetGo, kLog } stage_ = Stage::kFill;
};

}  // namespace braidlog::store
