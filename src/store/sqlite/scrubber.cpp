#include "store/sqlite/scrubber.h"

#include <algorithm>

namespace braidlog::store {

namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kBlobPages = 2048;  // 8 MB a piece
constexpr std::uint64_t kRowBytes = 512;
// The list of free pages is in pieces of this size, and has no order within a piece.
constexpr std::uint64_t kListPages = 1024;
constexpr int kReaderPatienceMs = 50;  // the writer waits for readers no longer than this
constexpr int kUsualPatienceMs = 5'000;

}  // namespace

Status Scrubber::begin_deletion() {
  return free_pages().map([this](std::uint64_t count) { free_before_ = count; });
}

Status Scrubber::end_deletion() {
  return free_pages().map([this](std::uint64_t count) {
    if (count > free_before_) dirty_pages_ += count - free_before_;
  });
}

Result<std::uint64_t> Scrubber::free_pages() {
  std::uint64_t count = 0;
  auto found = count_free_.one([&](const Row& row) { count = row.number(0); });
  if (!found) return fail(found.error());
  return count;
}

Status Scrubber::scrub() {
  if (auto cleared = clear_pages(); !cleared) return cleared;
  return empty_log();
}

Status Scrubber::clear_pages() {
  Transaction transaction(database_);
  if (auto status = transaction.begin(Transaction::Kind::kWrite); !status) return status;
  const auto free = free_pages();
  if (!free) return fail(free.error());
  std::uint64_t left = std::min(*free, dirty_pages_ + kListPages);
  while (left > 0) {
    const std::uint64_t pages = std::min(left, kBlobPages);
    // A page of a blob holds four bytes less than its size: the number of the next. Some hundred bytes stay in the
    // row itself; with as many more than fill the pages, the last page is full too (fileformat2.html, 1.6).
    if (auto status = fill_.run(pages * (kPageBytes - 4) + kRowBytes); !status) return status;
    left -= pages;
  }
  if (auto status = empty_.run(); !status) return status;
  if (auto status = transaction.commit(); !status) return status;
  dirty_pages_ = 0;
  return {};
}

Status Scrubber::empty_log() {
  sqlite3_busy_timeout(database_.handle(), kReaderPatienceMs);
  const int code = sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(database_.handle(), kUsualPatienceMs);
  if (code == SQLITE_BUSY) return fail(ErrorCode::kUnavailable, "a reader is in the way");
  if (code != SQLITE_OK) return fail(storage_error(code));
  return {};
}

}  // namespace braidlog::store
