#include "store/sqlite/journal.h"

#include <algorithm>
#include <array>

#include "base/release_memory.h"
#include "base/varint.h"
#include "event/encoding.h"

namespace braidlog::store {

namespace {

constexpr char kVersion = 1;
constexpr std::uint64_t kRangeBytes = 256 * 1024;

Error damaged() {
  return {ErrorCode::kStorage, "the database is damaged (the journal of unfinished runs)", {}};
}

bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_entry(std::string_view& in, JournalEntry& entry) {
  auto& id = entry.run_id.value.bytes;
  if (in.size() < id.size()) return false;
  std::copy_n(in.begin(), id.size(), id.begin());
  in.remove_prefix(id.size());
  std::uint64_t length = 0;
  if (!take_varint(in, entry.first.value) || !take_varint(in, entry.count) || !take_varint(in, length)) return false;
  if (length > in.size()) return false;
  entry.records = in.substr(0, length);
  in.remove_prefix(length);
  return true;
}

// Each is read to its end: whoever claims the run will read it, and must not find out when the claim is written.
bool holds_records(std::string_view bytes, std::uint64_t count) {
  RunEvent event;
  RecordContext context;
  for (; count > 0; --count) {
    if (!take_record(bytes, Sequence{}, context, event)) return false;
  }
  return bytes.empty();
}

}  // namespace

void append_journal_entry(std::string& row, const JournalEntry& entry) {
  if (row.empty()) row += kVersion;
  const auto& id = entry.run_id.value.bytes;
  std::array<char, sizeof(id) + 3 * kVarintBytesMax> head;
  char* at = std::copy(id.begin(), id.end(), head.begin());
  for (const std::uint64_t number : {entry.first.value, entry.count, std::uint64_t{entry.records.size()}}) {
    at = write_varint(at, number);
  }
  row.append(head.data(), static_cast<std::size_t>(at - head.data()));
  row += entry.records;
}

Status read_journal_row(std::string_view row, const std::function<Status(const JournalEntry&)>& take) {
  if (row.empty() || row.front() != kVersion) return fail(damaged());
  row.remove_prefix(1);
  while (!row.empty()) {
    JournalEntry entry;
    if (!take_entry(row, entry)) return fail(damaged());
    if (auto status = take(entry); !status) return status;
  }
  return {};
}

Status Journal::load(LiveRuns& live) {
  FoundRuns runs;
  for (const auto& [id, run] : live) runs[id] = {};
  if (auto status = load_pieces(runs); !status) return status;
  if (auto status = load_rows(runs); !status) return status;
  for (auto& [id, run] : live) {
    const Found& found = runs.at(id);
    // The table may be behind, never ahead, and a run has at least its first event.
    if (found.last.value == 0 || found.last < run->last) return fail(damaged());
    run->last = found.last;
    pin(*run, found.first_row);
  }
  live.keep();
  return {};
}

// `count` more events of a run follow what was found.
Status Journal::extend(Found& run, Sequence first, std::uint64_t count) {
  if (first != run.last.next()) return fail(damaged());
  run.last.value += count;
  return {};
}

Status Journal::load_pieces(FoundRuns& runs) {
  Status status;
  auto found = scan_pieces_.each([&](const Row& row) {
    const auto run = runs.find(row.id<RunId>(0));
    if (!status || run == runs.end()) return;
    carried_.insert(run->first);
    status = extend(run->second, {row.number(1)}, row.number(2));
  });
  if (!found) return fail(found.error());
  return status;
}

Status Journal::load_rows(FoundRuns& runs) {
  Status status;
  auto found = scan_.each([&](const Row& row) {
    if (!status) return;
    const std::int64_t id = row.integer(0);
    const std::string_view body = row.view(1);
    next_id_ = id + 1;
    note_row(id, body.size());
    status = read_journal_row(body, [&](const JournalEntry& entry) -> Status {
      const auto run = runs.find(entry.run_id);
      if (run == runs.end()) return {};  // sealed; the row waits to be reclaimed
      if (run->second.first_row == 0) run->second.first_row = id;
      return extend(run->second, entry.first, entry.count);
    });
  });
  if (!found) return fail(found.error());
  return status;
}

Result<std::unordered_map<RunId, std::string>> Journal::records(const LiveRuns& live) {
  std::unordered_map<RunId, std::string> out;
  Status status;
  const auto add = [&](RunId run_id, std::uint64_t count, std::string_view records) -> Status {
    if (!live.find(run_id)) return {};
    if (!holds_records(records, count)) return fail(damaged());
    out[run_id] += records;
    return {};
  };
  auto pieces = scan_pieces_.each([&](const Row& row) {
    if (status) status = add(row.id<RunId>(0), row.number(2), row.view(3));
  });
  if (!pieces) return fail(pieces.error());
  auto rows = scan_.each([&](const Row& row) {
    if (!status) return;
    status = read_journal_row(row.view(1),
                              [&](const JournalEntry& entry) { return add(entry.run_id, entry.count, entry.records); });
  });
  if (!rows) return fail(rows.error());
  if (!status) return fail(status.error());
  return out;
}

void Journal::stage(const JournalEntry& entry, const LiveRun& run) {
  append_journal_entry(row_, entry);
  if (run.first_row == 0) entered_.push_back(entry.run_id);
}

Status Journal::write(const LiveRuns& live) {
  if (!row_.empty()) {
    if (auto status = insert_.run(next_id_, Blob{row_}); !status) return status;
  }
  if (closed_.empty()) return {};
  const std::int64_t last_id = closed_.front().last_id;
  const bool needed = last_id >= oldest_needed();
  if (needed && bytes_ <= bytes_max_ && !must_purge()) return {};
  if (needed) {
    if (auto status = carry(last_id, live); !status) return status;
  }
  reclaiming_ = true;
  return delete_rows(last_id);
}

Status Journal::delete_rows(std::int64_t last_id) {
  if (auto status = scrubber_.begin_deletion(); !status) return status;
  if (auto status = delete_.run(last_id); !status) return status;
  return scrubber_.end_deletion();
}

// What unfinished runs have in the rows up to `last_id`, one piece for each.
Status Journal::carry(std::int64_t last_id, const LiveRuns& live) {
  struct Piece {
    Sequence first;
    std::uint64_t count = 0;
    std::string records;
  };
  std::unordered_map<RunId, Piece> pieces;
  Status status;
  auto found = scan_range_.each(
      [&](const Row& row) {
        if (!status) return;
        status = read_journal_row(row.view(0), [&](const JournalEntry& entry) -> Status {
          if (!live.find(entry.run_id)) return {};
          Piece& piece = pieces[entry.run_id];
          if (piece.count == 0) piece.first = entry.first;
          piece.count += entry.count;
          piece.records += entry.records;
          return {};
        });
      },
      last_id);
  if (!found) return fail(found.error());
  if (!status) return status;
  for (const auto& [run_id, piece] : pieces) {
    carried_.insert(run_id);  // too early is harmless: it only says where to look
    status = insert_piece_.run(run_id, piece.first.value, piece.count, Blob{piece.records});
    if (!status) return status;
    // Sequences have no gaps: it has nothing in a later row, this commit's included.
    if (piece.first.value + piece.count == live.find(run_id)->last.next().value) left_.push_back(run_id);
  }
  return {};
}

void Journal::committed(LiveRuns& live) {
  if (reclaiming_) {
    note_carried(closed_.front().last_id, live);
    bytes_ -= closed_.front().bytes;
    closed_.pop_front();
  }
  if (!row_.empty()) {
    const std::int64_t id = next_id_++;
    note_row(id, row_.size());
    for (const RunId run_id : entered_) {
      if (LiveRun* run = live.find(run_id)) pin(*run, id);
    }
  }
  for (const auto& [run_id, first_row] : ended_) {
    carried_.erase(run_id);
    unpin(first_row);
  }
  if (removal_) purge_all();
  abandon();
}

void Journal::purge_all() {
  if (open_.bytes > 0) closed_.push_back(std::exchange(open_, {}));
  purge_upto_ = next_id_ - 1;
}

void Journal::abandon() {
  // One huge commit should not hold its memory for ever.
  if (row_.capacity() > 4 * kRangeBytes) release_memory(row_);
  row_.clear();
  entered_.clear();
  left_.clear();
  ended_.clear();
  removal_ = false;
  reclaiming_ = false;
}

// Rows up to `last_id` are gone: nobody needs them any more.
void Journal::note_carried(std::int64_t last_id, LiveRuns& live) {
  if (oldest_needed() > last_id) return;
  for (const RunId run_id : left_) pin(*live.find(run_id), 0);
  for (auto& [id, run] : live) {
    if (run->first_row != 0 && run->first_row <= last_id) pin(*run, last_id + 1);
  }
}

void Journal::note_row(std::int64_t id, std::uint64_t bytes) {
  bytes_ += bytes;
  open_.last_id = id;
  open_.bytes += bytes;
  if (open_.bytes >= kRangeBytes) closed_.push_back(std::exchange(open_, {}));
}

void Journal::pin(LiveRun& run, std::int64_t row_id) {
  unpin(run.first_row);
  run.first_row = row_id;
  if (row_id != 0) ++starts_[row_id];
}

void Journal::unpin(std::int64_t row_id) {
  const auto start = starts_.find(row_id);
  if (start != starts_.end() && --start->second == 0) starts_.erase(start);
}

}  // namespace braidlog::store
