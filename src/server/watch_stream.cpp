#include "server/watch_stream.h"

#include <utility>

#include "base/log.h"
#include "server/stream_head.h"
#include "wire/sse.h"

namespace braidlog {

WatchStream::WatchStream(Setup setup, const Limits& limits, WatchOwner& owner)
    : setup_(std::move(setup)), owner_(owner), notices_(limits.watch_notices_max) {}

void WatchStream::start() {
  if (hears_of_everybody()) log_info("an admin watches everybody's work", {{"admin", setup_.caller.user_id}});
  setup_.exchange->begin_stream(stream_head(std::exchange(setup_.headers, {})), kKeepaliveComment,
                                log::hello_frame(setup_.caller), *this);
  for (std::size_t i = 0; i < setup_.open.watches.size() && !over_; ++i) look_for(i);
}

void WatchStream::look_for(std::size_t index) {
  const auto& run_id = setup_.open.watches[index].run_id;
  if (!run_id) return refuse(index, {ErrorCode::kRunNotFound, "Run not found", {}});
  owner_.service().handle(
      setup_.caller, api::GetRun{*run_id}, [this, index, alive = liveness_.watch()](Result<api::Run> run) {
        if (alive.expired() || over_) return;
        if (!run) return refuse(index, run.error());
        if (!run->replayable) return refuse(index, {ErrorCode::kGone, "The events of this run are gone", {}});
        const auto& watch = setup_.open.watches[index];
        owner_.open_tap(*this, index, {setup_.views[index], name_of(index), *watch.run_id, watch.after});
      });
}

void WatchStream::refuse(std::size_t index, const Error& error) {
  take(index, {log::refused_frame(name_of(index), error), WatchBatch::Then::kOver});
}

void WatchStream::take(std::size_t index, WatchBatch batch) {
  if (over_) return;
  if (batch.then == WatchBatch::Then::kCut) return abort();
  ready_.push_back({index, std::move(batch)});
  pump();
}

void WatchStream::notify(const RunNotice& notice) {
  if (over_ || !setup_.open.notices) return;
  if (notice.user_id != setup_.caller.user_id && !hears_of_everybody()) return;
  notices_.add(notice);
  pump();
}

void WatchStream::pump() {
  while (!over_ && setup_.exchange->unsent_bytes() == 0) {
    for (const std::size_t index : std::exchange(taken_, {})) {
      owner_.ask_next(*this, index, *setup_.open.watches[index].run_id);
    }
    if (!notices_.empty()) {
      setup_.exchange->send(notices_.take_frames());
    } else if (!ready_.empty()) {
      const Ready ready = std::move(ready_.front());
      ready_.pop_front();
      setup_.exchange->send(ready.batch.bytes);
      if (ready.batch.then == WatchBatch::Then::kMore) taken_.push_back(ready.index);
    } else if (taken_.empty()) {
      return;
    }
  }
}

void WatchStream::abort() {
  setup_.exchange->abort();
  over();
}

void WatchStream::over() {
  if (std::exchange(over_, true)) return;
  owner_.on_over(*this);
}

log::WatchName WatchStream::name_of(std::size_t index) const {
  const auto& watch = setup_.open.watches[index];
  return {watch.view, watch.run};
}

}  // namespace braidlog
