// The live tail of one run in one contract: one cursor and one projection, whose frames go to every viewer that is
// caught up. A viewer that cannot take more leaves the feed and comes back through the log. Runs on: the io thread
// of the run.
#pragma once

#include <memory>
#include <vector>

#include "dialect/projection.h"
#include "runlog/run_records.h"
#include "server/history_source.h"

namespace braidlog {

class FeedViewer {
 public:
  virtual ~FeedViewer() = default;
  // New frames, in order; `ended` with the run's last ones. `bytes` may be empty. The viewer may leave from inside.
  virtual void on_frames(std::string_view bytes, FramePosition last, bool ended) = 0;
  // The run goes on elsewhere: the client is to come back and be led there.
  virtual void on_abandoned() = 0;
};

class FrameFeed final : private CommitListener {
 public:
  // `cursor` and `projection` have seen every committed event. `scratch`, where frames are made, outlives the feed and
  // is shared by all feeds of a thread: they speak one after the other.
  FrameFeed(Cursor cursor, std::unique_ptr<Projection> projection, Frames& scratch, HistorySource& history);
  ~FrameFeed() override;

  // The viewer has every frame up to the committed end.
  void join(FeedViewer& viewer) { viewers_.push_back(&viewer); }
  void leave(FeedViewer& viewer);
  bool empty() const { return viewers_.empty(); }

 private:
  void on_committed() override;
  void ask_history(const HistoryNeed& need);
  void begin_telling();
  void tell(bool ended, bool abandoned);
  void end_telling();

  Cursor cursor_;
  std::unique_ptr<Projection> projection_;
  Frames& frames_;
  std::vector<FeedViewer*> viewers_;  // null: left while being told
  bool telling_ = false;
  std::size_t told_count_ = 0;  // how many of the viewers are being told
  HistorySource& history_;
  const RunEvent* held_ = nullptr;  // the cursor's last event, which waits for its history
  Liveness liveness_;
};

}  // namespace braidlog
