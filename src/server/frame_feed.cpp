#include "server/frame_feed.h"

#include <algorithm>
#include <utility>

namespace braidlog {

namespace {

// What viewers are told at once: less than what may be unsent for one of them, or a large commit would find each of
// them too slow for it.
constexpr std::size_t kPieceBytes = 56 * 1024;

}  // namespace

FrameFeed::FrameFeed(Cursor cursor, std::unique_ptr<Projection> projection, Scratch& scratch, HistorySource& history)
    : cursor_(std::move(cursor)),
      projection_(std::move(projection)),
      event_(scratch.event),
      frames_(scratch.frames),
      history_(history) {
  cursor_.records().add_listener(*this);
}

FrameFeed::~FrameFeed() {
  cursor_.records().remove_listener(*this);
}

void FrameFeed::leave(FeedViewer& viewer) {
  const auto at = std::ranges::find(viewers_, &viewer);
  if (at == viewers_.end()) return;
  if (telling_) {
    *at = nullptr;
  } else {
    viewers_.erase(at);
  }
}

void FrameFeed::on_committed() {
  if (held_ != nullptr) return;  // the last event is on its way
  begin_telling();
  while (cursor_.next(event_)) {
    if (const auto need = projection_->needs_history(event_)) {
      held_ = std::make_unique<RunEvent>(std::move(event_));
      ask_history(*need);
      break;
    }
    projection_->project(event_, frames_);
    if (frames_.bytes.size() < kPieceBytes) continue;
    tell(false, false);
    frames_.clear();
  }
  const bool ended = cursor_.at_end() && held_ == nullptr;
  const bool abandoned = cursor_.records().abandoned();
  if (!frames_.empty() || ended || abandoned) tell(ended, abandoned);
  end_telling();
}

void FrameFeed::ask_history(const HistoryNeed& need) {
  history_.fetch(need, [this, alive = liveness_.watch()](std::shared_ptr<const api::SessionView> view) {
    if (alive.expired()) return;
    begin_telling();
    if (view) {
      projection_->take_history(std::move(view));
      const auto event = std::move(held_);
      projection_->project(*event, frames_);
      tell(cursor_.at_end(), false);
    } else {
      tell(false, true);  // the viewers come back, and read it from the log if it is there
    }
    end_telling();
  });
}

// Who joins while the others are told has read from the log all that is committed.
void FrameFeed::begin_telling() {
  frames_.clear();
  telling_ = true;
  told_count_ = viewers_.size();
}

void FrameFeed::end_telling() {
  telling_ = false;
  std::erase(viewers_, nullptr);
}

void FrameFeed::tell(bool ended, bool abandoned) {
  const FramePosition last = frames_.empty() ? FramePosition{cursor_.position(), 0} : frames_.marks.back().position;
  for (std::size_t i = 0; i < told_count_; ++i) {
    if (viewers_[i] == nullptr) continue;
    abandoned ? viewers_[i]->on_abandoned() : viewers_[i]->on_frames(frames_.bytes, last, ended);
  }
}

}  // namespace braidlog
