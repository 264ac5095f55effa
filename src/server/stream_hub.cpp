#include "server/stream_hub.h"

namespace braidlog {

namespace {

constexpr int kTries = 50;  // reads of the store, some tens of microseconds each

}  // namespace

void StreamHub::open(std::shared_ptr<Exchange> exchange, const Dialect& dialect, RunId run_id,
                     std::optional<EventId> after, std::vector<HttpHeader> headers) {
  find_records({std::move(exchange), &dialect, run_id, after, std::move(headers)}, kTries);
}

void StreamHub::find_records(Request request, int tries_left) {
  const RunId run_id = request.run_id;
  if (auto live = log_.find(run_id)) return start(std::move(request), std::move(live));
  const auto kept = finished_.find(run_id);
  if (auto finished = kept == finished_.end() ? nullptr : kept->second.lock()) {
    return start(std::move(request), std::move(finished));
  }
  read_then(
      store_, loop_, [run_id](StoreReader& reader) { return reader.records(run_id); },
      [this, request = std::move(request), tries_left](Result<std::string> bytes) mutable {
        // Unfinished and not here: its start is on the way from the store to this thread, or its end was a moment ago.
        const bool in_between = !bytes && bytes.error().code == ErrorCode::kInvalidState;
        if (in_between && tries_left > 0) return find_records(std::move(request), tries_left - 1);
        if (in_between) bytes = fail(ErrorCode::kUnavailable, "The run cannot be read right now");
        auto records = keep(request.run_id, std::move(bytes));
        if (!records) return request.exchange->respond(request.dialect->error(records.error()));
        start(std::move(request), std::move(*records));
      });
}

Result<std::shared_ptr<RunRecords>> StreamHub::keep(RunId run_id, Result<std::string> bytes) {
  if (!bytes) return fail(bytes.error());
  auto& kept = finished_[run_id];
  if (auto records = kept.lock()) return records;  // somebody else's read was faster
  auto records = std::make_shared<RunRecords>(run_id);
  if (auto loaded = records->load(std::move(*bytes)); !loaded) return fail(loaded.error());
  kept = records;
  return records;
}

void StreamHub::start(Request request, std::shared_ptr<RunRecords> records) {
  auto session = std::make_unique<StreamSession>(std::move(request.exchange), *request.dialect, std::move(records),
                                                 request.after, limits_, static_cast<StreamOwner&>(*this));
  StreamSession& started = *session;
  sessions_[&started] = std::move(session);
  started.start(std::move(request.headers));
}

void StreamHub::later(StreamSession& session) {
  loop_.post([this, &session] {
    if (sessions_.contains(&session)) session.go_on();
  });
}

void StreamHub::abort_all() {
  std::vector<StreamSession*> open;
  for (const auto& [session, owned] : sessions_) open.push_back(session);
  for (StreamSession* session : open) session->abort();
}

FrameFeed* StreamHub::find_feed(const StreamSession& session) {
  const auto at = feeds_.find({session.run_id(), &session.dialect()});
  return at == feeds_.end() ? nullptr : at->second.get();
}

FrameFeed& StreamHub::give_feed(const StreamSession& session, Cursor cursor, std::unique_ptr<Projection> projection) {
  auto& feed = feeds_[{session.run_id(), &session.dialect()}];
  feed = std::make_unique<FrameFeed>(std::move(cursor), std::move(projection), feed_scratch_);
  return *feed;
}

// The session is inside one of its own functions, and perhaps inside its feed's: both go after this task.
void StreamHub::on_over(StreamSession& session) {
  auto gone = sessions_.extract(&session);
  if (gone.empty()) return;
  const FeedKey key{session.run_id(), &session.dialect()};
  loop_.post([this, key, gone = std::move(gone.mapped())]() mutable {
    gone.reset();
    if (const auto kept = finished_.find(key.first); kept != finished_.end() && kept->second.expired()) {
      finished_.erase(kept);
    }
    const auto feed = feeds_.find(key);
    if (feed != feeds_.end() && feed->second->empty()) feeds_.erase(feed);
  });
}

}  // namespace braidlog
