// The streams of one io thread: opens them, keeps the feeds they share, and ends them when the server stops.
// Runs on: its io thread.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "runlog/run_log.h"
#include "server/run_source.h"
#include "server/run_waiter.h"
#include "server/stream_session.h"

namespace braidlog {

class StreamHub final : private StreamOwner {
 public:
  // All outlive the hub. `stop` ends a run whose client is gone.
  StreamHub(Loop& loop, RunLog& log, StoreAccess& store, const Limits& limits, RunClients::Stop stop = {})
      : loop_(loop),
        source_(loop, log, store),
        limits_(limits),
        clients_(loop, limits.client_return_grace, std::move(stop)) {}
  ~StreamHub() override;

  struct Request {
    std::shared_ptr<Exchange> exchange;  // of this thread
    const Dialect* dialect;
    RunId run_id;
    std::optional<EventId> after{};
    std::vector<HttpHeader> headers{};  // added to the answer's
    ViewerRole role = ViewerRole::kViewer;
    api::Caller caller{};
  };
  // Answers with the run as the dialect shows it.
  void open(Request request);
  // Answers with what `render` makes of the run when it is over; `dialect` is for errors alone.
  using Render = UniqueFunction<HttpResponse(const RunState&, const api::SessionView&)>;
  void wait(Request request, Render render);

  // For others who look at runs of this thread.
  RunSource& source() { return source_; }

  void abort_all();
  // Cuts what is open or waited for with this credential: it is worth nothing any more.
  void end_streams(const std::string& credential);

 private:
  using FeedKey = std::pair<RunId, const Dialect*>;
  FrameFeed* find_feed(const StreamSession& session) override;
  FrameFeed& give_feed(const StreamSession& session, Cursor cursor, std::unique_ptr<Projection> projection) override;
  Frames& scratch() override { return session_scratch_; }
  HistorySource& history() override { return source_; }
  void later(StreamSession& session) override;
  void on_over(StreamSession& session) override;
  void find_records(Request request, UniqueFunction<void(Request, std::shared_ptr<RunRecords>)> found);
  void start(Request request, std::shared_ptr<RunRecords> records);
  void start_waiter(Request request, std::shared_ptr<RunRecords> records, Render render);

  Loop& loop_;
  RunSource source_;
  const Limits& limits_;
  RunClients clients_;
  FrameFeed::Scratch feed_scratch_;
  Frames session_scratch_;
  std::map<FeedKey, std::unique_ptr<FrameFeed>> feeds_;
  std::unordered_map<StreamSession*, std::unique_ptr<StreamSession>> sessions_;
  std::unordered_map<RunWaiter*, std::unique_ptr<RunWaiter>> waiters_;
};

}  // namespace braidlog
