#include "runlog/run_records.h"

#include <algorithm>

#include "base/check.h"
#include "event/encoding.h"

namespace braidlog {

namespace {

constexpr std::size_t kFirstPieceBytes = 1024;
constexpr std::size_t kPieceBytesMax = 16 * 1024;

}  // namespace

std::string_view RunRecords::append(const RunEvent& event) {
  BRAIDLOG_CHECK(event.sequence == appended_.next());
  BRAIDLOG_CHECK(terminal_.value == 0);
  const std::size_t size = std::min(kPieceBytesMax, kFirstPieceBytes << std::min<std::size_t>(pieces_.size(), 8));
  if (pieces_.empty() || pieces_.back().bytes.size() >= size) pieces_.push_back({event.sequence, {}});
  std::string& bytes = pieces_.back().bytes;
  const std::size_t start = bytes.size();
  append_record(bytes, event);
  appended_ = event.sequence;
  if (is_terminal(event.body)) terminal_ = event.sequence;
  return std::string_view(bytes).substr(start);
}

Status RunRecords::load(std::string records) {
  BRAIDLOG_CHECK(pieces_.empty());
  std::string_view rest = records;
  while (!rest.empty()) {
    const auto event = take_record(rest, appended_.next());
    if (!event) return fail(event.error());
    appended_ = event->sequence;
    if (is_terminal(event->body)) terminal_ = event->sequence;
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

std::string RunRecords::whole() const {
  std::string out;
  for (const auto& piece : pieces_) out += piece.bytes;
  return out;
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

const RunEvent* Cursor::next() {
  if (position_ >= records_->committed()) return nullptr;
  if (offset_ == records_->pieces_[piece_].bytes.size()) {
    ++piece_;
    offset_ = 0;
  }
  const std::string_view bytes = records_->pieces_[piece_].bytes;
  std::string_view rest = bytes.substr(offset_);
  auto event = take_record(rest, position_.next());
  // What is in memory was either encoded here or checked when it was loaded.
  BRAIDLOG_CHECK(event.has_value());
  event_ = std::move(*event);
  offset_ = bytes.size() - rest.size();
  position_ = event_.sequence;
  return &event_;
}

}  // namespace braidlog
