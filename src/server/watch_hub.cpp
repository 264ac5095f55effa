#include "server/watch_hub.h"

#include <algorithm>
#include <utility>

namespace braidlog {

WatchHub::~WatchHub() = default;

std::vector<std::unique_ptr<WatchHub>> WatchHub::make_all(const std::vector<Thread>& threads, const Shards& shards,
                                                          const Limits& limits) {
  std::vector<std::unique_ptr<WatchHub>> hubs;
  std::vector<WatchHub*> all;
  for (const Thread& thread : threads) {
    hubs.emplace_back(new WatchHub(thread, shards, limits));
    all.push_back(hubs.back().get());
  }
  for (std::size_t i = 0; i < hubs.size(); ++i) {
    all[i]->hubs_ = all;
    threads[i].host.log().when_changed([hub = all[i]](const std::shared_ptr<RunRecords>& records,
                                                      const RunChange& change) { hub->on_changed(records, change); });
  }
  return hubs;
}

void WatchHub::open(WatchStream::Setup setup) {
  setup.id = ++last_stream_;
  // Before the greeting: what changes after the client has read its lists is told.
  if (setup.open.notices) ++asked_for_notices_;
  auto& stream =
      *(streams_[setup.id] = std::make_unique<WatchStream>(std::move(setup), limits_, static_cast<WatchOwner&>(*this)));
  stream.start();
}

void WatchHub::open_tap(const WatchStream& stream, std::size_t index, WatchTap::Setup setup) {
  WatchHub& there = hub_of(setup.run_id);
  there.loop_.post([&there, name = TapName{loop_.index(), stream.id(), index}, setup = std::move(setup)]() mutable {
    there.make_tap(name, std::move(setup));
  });
}

void WatchHub::make_tap(TapName name, WatchTap::Setup setup) {
  auto hand_over = [this, name](WatchBatch batch) {
    const bool is_last = batch.then != WatchBatch::Then::kMore;
    WatchHub& there = *hubs_[std::get<0>(name)];
    there.loop_.post([&there, name, batch = std::move(batch)]() mutable { there.take(name, std::move(batch)); });
    if (is_last) loop_.post([this, name] { taps_.erase(name); });  // it is inside one of its own functions
  };
  auto& tap =
      *(taps_[name] = std::make_unique<WatchTap>(std::move(setup), loop_, source_, scratch_, std::move(hand_over)));
  tap.start();
}

void WatchHub::take(const TapName& name, WatchBatch batch) {
  const auto& [thread, stream, index] = name;
  const auto at = streams_.find(stream);
  if (at != streams_.end()) at->second->take(index, std::move(batch));
}

void WatchHub::ask_next(const WatchStream& stream, std::size_t index, RunId run_id) {
  WatchHub& there = hub_of(run_id);
  there.loop_.post([&there, name = TapName{loop_.index(), stream.id(), index}] {
    const auto at = there.taps_.find(name);
    if (at != there.taps_.end()) at->second->next();
  });
}

// The stream is inside one of its own functions. A tap that is on its way to its thread arrives before this.
void WatchHub::on_over(WatchStream& stream) {
  auto gone = streams_.extract(stream.id());
  if (gone.empty()) return;
  if (stream.wants_notices()) --asked_for_notices_;
  for (WatchHub* there : hubs_) {
    there->loop_.post([there, thread = loop_.index(), id = stream.id()] { there->drop_taps(thread, id); });
  }
  loop_.post([gone = std::move(gone.mapped())] {});
}

void WatchHub::drop_taps(unsigned thread, std::uint64_t stream) {
  const auto first = taps_.lower_bound({thread, stream, 0});
  const auto last = taps_.lower_bound({thread, stream + 1, 0});
  taps_.erase(first, last);
}

void WatchHub::on_changed(const std::shared_ptr<RunRecords>& records, const RunChange& change) {
  if (std::ranges::none_of(hubs_, &WatchHub::is_asked_for_notices)) return;
  Cursor cursor(records);
  const RunEvent* first = cursor.next();
  const auto* queued = first == nullptr ? nullptr : std::get_if<RunQueued>(&first->body);
  if (queued == nullptr) return;
  const auto notice =
      std::make_shared<const RunNotice>(RunNotice{records->id(), queued->session_id, queued->user_id, change});
  for (WatchHub* there : hubs_) {
    if (there->is_asked_for_notices()) there->loop_.post([there, notice] { there->notify(*notice); });
  }
}

void WatchHub::notify(const RunNotice& notice) {
  for (const auto& [id, stream] : streams_) stream->notify(notice);
}

void WatchHub::end_streams(const std::string& credential) {
  std::vector<WatchStream*> open;
  for (const auto& [id, stream] : streams_) {
    if (stream->credential() == credential) open.push_back(stream.get());
  }
  for (WatchStream* stream : open) stream->abort();
}

void WatchHub::abort_all() {
  std::vector<WatchStream*> open;
  for (const auto& [id, stream] : streams_) open.push_back(stream.get());
  for (WatchStream* stream : open) stream->abort();
}

}  // namespace braidlog
