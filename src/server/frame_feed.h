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
  // Where events are read and frames made: shared by all feeds of a thread, since they speak one after the other.
  struct Scratch {
    RunEvent event;
    Frames frames;
  };
  // `cursor` and `projection` have seen every committed event. `scratch` outlives the feed.
  FrameFeed(Cursor cursor, std::unique_ptr<Projection> projection, Scratch& scratch, HistorySource& history);
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
  RunEvent& event_;
  Frames& frames_;
  std::vector<FeedViewer*> viewers_;  // null: left while being told
  bool telling_ = false;
  std::size_t told_count_ = 0;  // how many of the viewers are being told
  HistorySource& history_;
  std::unique_ptr<RunEvent> held_;  // the last event, which waits for its history
  Liveness liveness_;
};

}  // namespace braidlog
