#include "server/stream_hub.h"

namespace braidlog {

namespace {

constexpr int kTries = 50;  // reads of the store, some tens of microseconds each

}  // namespace

StreamHub::~StreamHub() = default;

void StreamHub::open(Request request) {
  find_records(std::move(request), kTries, [this](Request found, std::shared_ptr<RunRecords> records) {
    start(std::move(found), std::move(records));
  });
}

void StreamHub::wait(Request request, Render render) {
  find_records(std::move(request), kTries,
               [this, render = std::move(render)](Request found, std::shared_ptr<RunRecords> records) mutable {
                 start_waiter(std::move(found), std::move(records), std::move(render));
               });
}

void StreamHub::find_records(Request request, int tries_left, Found found) {
  const RunId run_id = request.run_id;
  if (auto live = log_.find(run_id)) return found(std::move(request), std::move(live));
  const auto kept = finished_.find(run_id);
  if (auto finished = kept == finished_.end() ? nullptr : kept->second.lock()) {
    return found(std::move(request), std::move(finished));
  }
  read_then(
      store_, loop_, [run_id](StoreReader& reader) { return reader.records(run_id); },
      [this, request = std::move(request), tries_left, found = std::move(found)](Result<std::string> bytes) mutable {
        // Unfinished and not here: its start is on the way from the store to this thread, or its end was a moment ago.
        const bool in_between = !bytes && bytes.error().code == ErrorCode::kInvalidState;
        if (in_between && tries_left > 0) return find_records(std::move(request), tries_left - 1, std::move(found));
        if (in_between) bytes = fail(ErrorCode::kUnavailable, "The run cannot be read right now");
        auto records = keep(request.run_id, std::move(bytes));
        if (!records) return refuse(request, records.error());
        found(std::move(request), std::move(*records));
      });
}

void StreamHub::refuse(const Request& request, const Error& error) {
  request.exchange->respond(request.dialect->error(error, request.exchange->request().id));
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
  StreamSession::Viewer viewer{request.caller.credential,
                               clients_.sit_down(request.run_id, request.role, request.caller)};
  auto session =
      std::make_unique<StreamSession>(std::move(request.exchange), *request.dialect, std::move(records), request.after,
                                      limits_, static_cast<StreamOwner&>(*this), std::move(viewer));
  StreamSession& started = *session;
  sessions_[&started] = std::move(session);
  started.start(std::move(request.headers));
}

void StreamHub::start_waiter(Request request, std::shared_ptr<RunRecords> records, Render render) {
  auto seat = clients_.sit_down(request.run_id, request.role, request.caller);
  RunWaiter::Setup setup{std::move(request.exchange), request.dialect, std::move(request.headers), std::move(records),
                         std::move(render),           std::move(seat), request.caller.credential};
  auto waiter =
      std::make_unique<RunWaiter>(std::move(setup), static_cast<HistorySource&>(*this), [this](RunWaiter& done) {
        // It is inside one of its own functions.
        auto gone = waiters_.extract(&done);
        if (!gone.empty()) loop_.post([waiter = std::move(gone.mapped())] {});
      });
  RunWaiter& started = *waiter;
  waiters_[&started] = std::move(waiter);
  started.start();
}

void StreamHub::fetch(const HistoryNeed& need, UniqueFunction<void(std::shared_ptr<const api::SessionView>)> take) {
  read_then(
      store_, loop_, [need](StoreReader& reader) { return reader.messages(need.session_id, need.message_count); },
      [need, take = std::move(take)](Result<std::vector<api::Message>> messages) mutable {
        if (!messages || messages->size() != need.message_count) return take(nullptr);
        take(std::make_shared<const api::SessionView>(api::SessionView{std::move(*messages)}));
      });
}

void StreamHub::end_streams(const std::string& credential) {
  std::vector<StreamSession*> open;
  for (const auto& [session, owned] : sessions_) {
    if (session->credential() == credential) open.push_back(session);
  }
  for (StreamSession* session : open) session->abort();
  std::vector<RunWaiter*> waiting;
  for (const auto& [waiter, owned] : waiters_) {
    if (waiter->credential() == credential) waiting.push_back(waiter);
  }
  for (RunWaiter* waiter : waiting) waiter->abort();
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
  feed = std::make_unique<FrameFeed>(std::move(cursor), std::move(projection), feed_scratch_,
                                     static_cast<HistorySource&>(*this));
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
