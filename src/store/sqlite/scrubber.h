// Makes deleted data go for good. A deleted row leaves its bytes in pages that SQLite keeps for reuse, and in the
// write-ahead log; clearing each at once (secure_delete) would double what a journal row costs. So the pages that were
// freed are counted, and after a deletion that somebody asked for they are filled with zeros and the log is emptied.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread.
class Scrubber {
 public:
  explicit Scrubber(Database& database) : database_(database) {}

  // Around the deletions of a transaction: counts the pages that they free.
  Status begin_deletion();
  Status end_deletion();

  // Clears what was freed since the last time. kStorage when the disk refuses; kUnavailable when a reader is in the
  // way of emptying the log: to be tried again soon. Not inside a transaction.
  Status scrub();

 private:
  Result<std::uint64_t> free_pages();
  Status clear_pages();
  Status empty_log();

  Database& database_;
  Statement count_free_{database_, "PRAGMA freelist_count"};
  // Pages are handed out again, the last freed ones first: a blob of zeros takes just those.
  Statement fill_{database_, "INSERT INTO scrub(body) VALUES(zeroblob(?))"};
  Statement empty_{database_, "DELETE FROM scrub"};
  std::uint64_t free_before_ = 0;
  std::uint64_t dirty_pages_ = 0;
};

}  // namespace braidlog::store
