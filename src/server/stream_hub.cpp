#include "server/stream_hub.h"

namespace braidlog {

StreamHub::~StreamHub() = default;

void StreamHub::open(Request request) {
  find_records(std::move(request), [this](Request found, std::shared_ptr<RunRecords> records) {
    start(std::move(found), std::move(records));
  });
}

void StreamHub::wait(Request request, Render render) {
  find_records(std::move(request),
               [this, render = std::move(render)](Request found, std::shared_ptr<RunRecords> records) mutable {
                 start_waiter(std::move(found), std::move(records), std::move(render));
               });
}

void StreamHub::find_records(Request request, UniqueFunction<void(Request, std::shared_ptr<RunRecords>)> found) {
  const RunId run_id = request.run_id;
  source_.find(run_id, [request = std::move(request),
                        found = std::move(found)](Result<std::shared_ptr<RunRecords>> records) mutable {
    if (records) return found(std::move(request), std::move(*records));
    request.exchange->respond(request.dialect->error(records.error(), request.exchange->request().id));
  });
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
  auto waiter = std::make_unique<RunWaiter>(std::move(setup), source_, [this](RunWaiter& done) {
    // It is inside one of its own functions.
    auto gone = waiters_.extract(&done);
    if (!gone.empty()) loop_.post([waiter = std::move(gone.mapped())] {});
  });
  RunWaiter& started = *waiter;
  waiters_[&started] = std::move(waiter);
  started.start();
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
  feed = std::make_unique<FrameFeed>(std::move(cursor), std::move(projection), feed_scratch_, source_);
  return *feed;
}

// The session is inside one of its own functions, and perhaps inside its feed's: both go after this task.
void StreamHub::on_over(StreamSession& session) {
  auto gone = sessions_.extract(&session);
  if (gone.empty()) return;
  const FeedKey key{session.run_id(), &session.dialect()};
  loop_.post([this, key, gone = std::move(gone.mapped())]() mutable {
    gone.reset();
    source_.let_go(key.first);
    const auto feed = feeds_.find(key);
    if (feed != feeds_.end() && feed->second->empty()) feeds_.erase(feed);
  });
}

}  // namespace braidlog
