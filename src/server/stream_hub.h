// The streams of one io thread: opens them, keeps the feeds they share, and ends them when the server stops.
// Runs on: its io thread.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "runlog/run_log.h"
#include "server/stream_session.h"

namespace braidlog {

class StreamHub final : private StreamOwner {
 public:
  // All outlive the hub.
  StreamHub(Loop& loop, RunLog& log, StoreAccess& store, const Limits& limits)
      : loop_(loop), log_(log), store_(store), limits_(limits) {}

  // Answers the exchange, which belongs to this thread, with the run as `dialect` shows it. `headers` are added.
  void open(std::shared_ptr<Exchange> exchange, const Dialect& dialect, RunId run_id, std::optional<EventId> after,
            std::vector<HttpHeader> headers = {});
  void abort_all();

 private:
  using FeedKey = std::pair<RunId, const Dialect*>;
  FrameFeed* find_feed(const StreamSession& session) override;
  FrameFeed& give_feed(const StreamSession& session, Cursor cursor, std::unique_ptr<Projection> projection) override;
  Frames& scratch() override { return session_scratch_; }
  void later(StreamSession& session) override;
  void on_over(StreamSession& session) override;
  struct Request {
    std::shared_ptr<Exchange> exchange;
    const Dialect* dialect;
    RunId run_id;
    std::optional<EventId> after;
    std::vector<HttpHeader> headers;
  };
  void find_records(Request request, int tries_left);
  Result<std::shared_ptr<RunRecords>> keep(RunId run_id, Result<std::string> bytes);
  void start(Request request, std::shared_ptr<RunRecords> records);

  Loop& loop_;
  RunLog& log_;
  StoreAccess& store_;
  const Limits& limits_;
  Frames feed_scratch_, session_scratch_;
  std::map<FeedKey, std::unique_ptr<FrameFeed>> feeds_;
  std::unordered_map<RunId, std::weak_ptr<RunRecords>> finished_;  // one copy for all viewers of a finished run
  std::unordered_map<StreamSession*, std::unique_ptr<StreamSession>> sessions_;
};

}  // namespace braidlog
