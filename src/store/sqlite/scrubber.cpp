#include "store/sqlite/scrubber.h"

#include <algorithm>

namespace braidlog::store {

namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kStepPages = 1024;  // 4 MB: a step holds nobody up for long
// The list of free pages is in pieces of this size, and has no order within a piece.
constexpr std::uint64_t kListPages = 1024;
// Some hundred bytes of a blob stay in the row itself. With as many more than fill its pages, the last page is full too
// (sqlite.org/fileformat2.html, 1.6).
constexpr std::uint64_t kRowBytes = 512;
constexpr int kReaderPatienceMs = 50;  // the writer waits for readers no longer than this
constexpr int kUsualPatienceMs = 5'000;

}  // namespace

Result<bool> Scrubber::load() {
  auto found = find_.one([](const Row&) {});
  if (!found || !*found) return found;
  return free_pages().map([this](std::uint64_t count) {
    dirty_pages_ = count;
    return true;
  });
}

Status Scrubber::begin_deletion() {
  return free_pages().map([this](std::uint64_t count) { free_before_ = count; });
}

Status Scrubber::end_deletion() {
  return free_pages().map([this](std::uint64_t count) {
    if (count > free_before_) dirty_pages_ += count - free_before_;
  });
}

Status Scrubber::demand() {
  stage_ = Stage::kFill;  // also when an earlier clearing was nearly over
  return demand_.run();
}

Result<std::uint64_t> Scrubber::free_pages() {
  std::uint64_t count = 0;
  auto found = count_free_.one([&](const Row& row) { count = row.number(0); });
  if (!found) return fail(found.error());
  return count;
}

Result<bool> Scrubber::step() {
  Status done;
  switch (stage_) {
    case Stage::kFill: done = fill_pages(); break;
    case Stage::kLetGo: done = let_go(); break;
    case Stage::kLog:
      done = empty_log();
      if (done) {
        stage_ = Stage::kFill;
        return true;
      }
      break;
  }
  if (!done) return fail(done.error());
  return false;
}

Status Scrubber::fill_pages() {
  const auto free = free_pages();
  if (!free) return fail(free.error());
  const std::uint64_t wanted = dirty_pages_ + kListPages;
  const std::uint64_t pages = std::min({*free, kStepPages, wanted - std::min(wanted, filled_pages_)});
  if (pages == 0) {
    cleared_pages_ = dirty_pages_;
    stage_ = Stage::kLetGo;
    return {};
  }
  // A page of a blob holds four bytes less than its size: the number of the next.
  if (auto status = fill_.run(pages * (kPageBytes - 4) + kRowBytes); !status) return status;
  filled_pages_ += pages;
  return {};
}

Status Scrubber::let_go() {
  if (auto status = empty_.run(); !status) return status;
  dirty_pages_ -= cleared_pages_;  // what was freed meanwhile stays for the next time
  filled_pages_ = 0;
  stage_ = Stage::kLog;
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
