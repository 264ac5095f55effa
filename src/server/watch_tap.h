// One watch of a stream of many runs, at the run's end of it: reads the log of its run as frames and hands them over in
// batches, each only after the one before was taken. So a page that does not read costs one batch per watch, whatever
// its runs say. Runs on: the io thread of the run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "dialect/log/watch_frames.h"
#include "server/frame_reader.h"
#include "server/run_source.h"

namespace braidlog {

struct WatchBatch {
  // kOver: nothing follows for this watch. kCut: the run goes on elsewhere, and the client is to come back.
  enum class Then { kMore, kOver, kCut };
  std::string bytes;
  Then then = Then::kMore;
};

class WatchTap final : private CommitListener {
 public:
  struct Setup {
    const Dialect* view = nullptr;
    log::WatchName name;
    RunId run_id;
    std::optional<EventId> after;
  };
  // Gets the batches. The tap may be destroyed after the task in which it hands over its last.
  using HandOver = UniqueFunction<void(WatchBatch)>;
  // `scratch`, where frames are made, is shared by all taps of a thread: nothing in it lasts longer than a task. The
  // references outlive the tap.
  WatchTap(Setup setup, Loop& loop, RunSource& source, Frames& scratch, HandOver hand_over);
  ~WatchTap() override;

  // Finds the run. The first batch comes when there is one, perhaps from inside this call.
  void start();
  // The last batch was taken: the next may come.
  void next();

 private:
  void on_committed() override { go_on(); }
  void begin(Result<std::shared_ptr<RunRecords>> found);
  void go_on();
  void read_later();
  void ask_history();
  void refuse(const Error& error, std::string bytes = {});
  void give(std::string bytes, WatchBatch::Then then = WatchBatch::Then::kMore);

  Setup setup_;
  Loop& loop_;
  RunSource& source_;
  Frames& frames_;
  HandOver hand_over_;
  const std::string event_line_;

  std::shared_ptr<RunRecords> records_;  // when they are found
  std::optional<FrameReader> reader_;
  std::optional<FramePosition> seen_;  // every frame up to here is handed over
  bool wanted_ = true, waiting_ = false, caught_up_ = false, over_ = false;
  Liveness liveness_;
};

}  // namespace braidlog
