#include "server/frame_feed.h"

#include <algorithm>

namespace braidlog {

FrameFeed::FrameFeed(Cursor cursor, std::unique_ptr<Projection> projection, Frames& scratch)
    : cursor_(std::move(cursor)), projection_(std::move(projection)), frames_(scratch) {
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
  frames_.clear();
  while (const RunEvent* event = cursor_.next()) projection_->project(*event, frames_);
  const bool ended = cursor_.at_end();
  const bool abandoned = cursor_.records().abandoned();
  if (frames_.empty() && !ended && !abandoned) return;
  const FramePosition last = frames_.empty() ? FramePosition{cursor_.position(), 0} : frames_.marks.back().position;
  telling_ = true;
  // A viewer that joins while the others are told has read these frames from the log already.
  const std::size_t count = viewers_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (viewers_[i] == nullptr) continue;
    abandoned ? viewers_[i]->on_abandoned() : viewers_[i]->on_frames(frames_.bytes, last, ended);
  }
  telling_ = false;
  std::erase(viewers_, nullptr);
}

}  // namespace braidlog
