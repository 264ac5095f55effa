#include "server/stream_hub.h"

namespace braidlog {

void StreamHub::open(std::shared_ptr<Exchange> exchange, const Dialect& dialect, RunId run_id,
                     std::optional<EventId> after, std::vector<HttpHeader> headers) {
  if (auto records = log_.find(run_id)) {
    return start(std::move(exchange), dialect, std::move(records), after, std::move(headers));
  }
  read_then(
      store_, loop_, [run_id](StoreReader& reader) { return reader.records(run_id); },
      [this, exchange = std::move(exchange), &dialect, run_id, after,
       headers = std::move(headers)](Result<std::string> bytes) mutable {
        auto records = std::make_shared<RunRecords>(run_id);
        const Status loaded = bytes ? records->load(std::move(*bytes)) : fail(bytes.error());
        if (!loaded) return exchange->respond(dialect.error(loaded.error()));
        start(std::move(exchange), dialect, std::move(records), after, std::move(headers));
      });
}

void StreamHub::start(std::shared_ptr<Exchange> exchange, const Dialect& dialect, std::shared_ptr<RunRecords> records,
                      std::optional<EventId> after, std::vector<HttpHeader> headers) {
  auto session = std::make_unique<StreamSession>(std::move(exchange), dialect, std::move(records), after, limits_,
                                                 static_cast<StreamOwner&>(*this));
  StreamSession& started = *session;
  sessions_[&started] = std::move(session);
  started.start(std::move(headers));
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
  feed = std::make_unique<FrameFeed>(std::move(cursor), std::move(projection));
  return *feed;
}

// The session is inside one of its own functions, and perhaps inside its feed's: both go after this task.
void StreamHub::on_over(StreamSession& session) {
  auto gone = sessions_.extract(&session);
  if (gone.empty()) return;
  const FeedKey key{session.run_id(), &session.dialect()};
  loop_.post([this, key, gone = std::move(gone.mapped())]() mutable {
    gone.reset();
    const auto feed = feeds_.find(key);
    if (feed != feeds_.end() && feed->second->empty()) feeds_.erase(feed);
  });
}

}  // namespace braidlog
