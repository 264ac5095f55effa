#include "runlog/run_records.h"

#include <algorithm>

#include "base/check.h"

namespace braidlog {

namespace {

constexpr std::size_t kFirstPieceBytes = 1024;
constexpr std::size_t kPieceBytesMax = 16 * 1024;

}  // namespace

void RunRecords::append(const RunEvent& event) {
  BRAIDLOG_CHECK(event.sequence == appended_.next());
  BRAIDLOG_CHECK(terminal_.value == 0);
  const std::size_t size = std::min(kPieceBytesMax, kFirstPieceBytes << std::min<std::size_t>(pieces_.size(), 8));
  if (pieces_.empty() || pieces_.back().bytes.size() >= size) {
    pieces_.push_back({event.sequence, {}});
    pieces_.back().bytes.reserve(size);
  }
  append_record(pieces_.back().bytes, event, context_);
  appended_ = event.sequence;
  if (is_terminal(event.body)) terminal_ = event.sequence;
}

Status RunRecords::load(std::string records) {
  BRAIDLOG_CHECK(pieces_.empty());
  std::string_view rest = records;
  while (!rest.empty()) {
    const auto length = record_length(rest);
    if (!length) return fail(length.error());
    appended_ = appended_.next();
    if (is_terminal_record(rest)) terminal_ = appended_;
    rest.remove_prefix(*length);
  }
  pieces_.push_back({{1}, std::move(records)});
  commit(appended_);
  return {};
}

void RunRecords::commit(Sequence upto) {
  BRAIDLOG_CHECK(upto <= appended_ && upto >= committed_);
  committed_ = upto;
  ended_ = terminal_.value != 0 && committed_ >= terminal_;
  tell();
}

void RunRecords::abandon() {
  abandoned_ = true;
  tell();
}

void RunRecords::tell() {
  telling_ = true;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (listeners_[i] != nullptr) listeners_[i]->on_committed();
  }
  telling_ = false;
  std::erase(listeners_, nullptr);
}

RunRecords::Place RunRecords::cut() {
  context_ = {};
  return pieces_.empty() ? Place{} : Place{pieces_.size() - 1, pieces_.back().bytes.size()};
}

void RunRecords::copy(Place from, std::string& into) const {
  std::size_t upto = 0;  // counted from the start of the piece that `from` is in
  for (std::size_t i = from.piece; i < pieces_.size(); ++i) upto += pieces_[i].bytes.size();
  into.clear();
  into.reserve(upto - std::min(upto, from.offset));
  for (std::size_t i = from.piece; i < pieces_.size(); ++i) {
    into.append(pieces_[i].bytes, i == from.piece ? from.offset : 0);
  }
}

std::string RunRecords::whole() const {
  std::string all;
  copy({}, all);
  return all;
}

void RunRecords::remove_listener(CommitListener& listener) {
  const auto at = std::ranges::find(listeners_, &listener);
  if (at == listeners_.end()) return;
  if (telling_) {
    *at = nullptr;
  } else {
    listeners_.erase(at);
  }
}

bool Cursor::next(RunEvent& into) {
  if (broken_ || position_ >= records_->committed()) return false;
  if (offset_ == records_->pieces_[piece_].bytes.size()) {
    ++piece_;
    offset_ = 0;
  }
  const std::string_view bytes = records_->pieces_[piece_].bytes;
  std::string_view rest = bytes.substr(offset_);
  if (!take_record(rest, position_.next(), context_, into)) {
    broken_ = true;
    return false;
  }
  offset_ = bytes.size() - rest.size();
  position_ = into.sequence;
  return true;
}

}  // namespace braidlog
