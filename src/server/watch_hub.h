// The streams of many runs that one io thread has, and the taps of its runs, for streams of any thread. Streams and
// taps know each other by name alone and talk by posting. Runs on: its io thread, but for is_asked_for_notices().
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/run_host.h"
#include "server/watch_stream.h"

namespace braidlog {

class WatchHub final : private WatchOwner {
 public:
  // What an io thread has that its hub needs.
  struct Thread {
    RunHost& host;
    api::Service& service;
    RunSource& source;
  };
  // One hub for each thread, in their order. They know each other, and hear from now on what changes in the runs of the
  // threads. Everything given outlives them.
  static std::vector<std::unique_ptr<WatchHub>> make_all(const std::vector<Thread>& threads, const Shards& shards,
                                                         const Limits& limits);
  ~WatchHub() override;

  // Answers with the stream; `id` is given here.
  void open(WatchStream::Setup setup);
  // Tells the streams of all threads that asked. For a run of this thread.
  void on_changed(const std::shared_ptr<RunRecords>& records, const RunChange& change);

  void abort_all();
  // Cuts what is open with this credential: it is worth nothing any more.
  void end_streams(const std::string& credential);

 private:
  WatchHub(const Thread& thread, const Shards& shards, const Limits& limits)
      : loop_(thread.host.loop()), service_(thread.service), source_(thread.source), shards_(shards), limits_(limits) {}

  // A tap: the thread of its stream, the stream there, and the watch in it.
  using TapName = std::tuple<unsigned, std::uint64_t, std::size_t>;
  api::Service& service() override { return service_; }
  void open_tap(const WatchStream& stream, std::size_t index, WatchTap::Setup setup) override;
  void ask_next(const WatchStream& stream, std::size_t index, RunId run_id) override;
  void on_over(WatchStream& stream) override;

  void make_tap(TapName name, WatchTap::Setup setup);
  void drop_taps(unsigned thread, std::uint64_t stream);
  void take(const TapName& name, WatchBatch batch);
  void notify(const RunNotice& notice);
  bool is_asked_for_notices() const { return asked_for_notices_.load() > 0; }
  WatchHub& hub_of(RunId run_id) { return *hubs_[shards_.index_of(run_id)]; }

  Loop& loop_;
  api::Service& service_;
  RunSource& source_;
  const Shards& shards_;
  const Limits& limits_;
  std::vector<WatchHub*> hubs_;  // of all threads by their index, this one among them
  std::unordered_map<std::uint64_t, std::unique_ptr<WatchStream>> streams_;
  std::uint64_t last_stream_ = 0;
  std::map<TapName, std::unique_ptr<WatchTap>> taps_;
  Frames scratch_;
  std::atomic<std::size_t> asked_for_notices_{0};  // streams of this thread; read by all
};

}  // namespace braidlog
