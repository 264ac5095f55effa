#include "server/run_waiter.h"

namespace braidlog {

RunWaiter::RunWaiter(Setup setup, HistorySource& history, UniqueFunction<void(RunWaiter&)> over)
    : setup_(std::move(setup)), history_(history), over_(std::move(over)) {}

RunWaiter::~RunWaiter() {
  if (listening_) setup_.records->remove_listener(*this);
}

void RunWaiter::start() {
  setup_.exchange->on_gone([this, alive = liveness_.watch()] {
    if (!alive.expired()) end();
  });
  if (setup_.records->ended()) return finish();
  listening_ = true;
  setup_.records->add_listener(*this);
}

void RunWaiter::on_committed() {
  if (is_over_) return;
  if (setup_.records->abandoned()) {
    return refuse({ErrorCode::kUnavailable, "The run goes on elsewhere; ask again", {}});
  }
  if (setup_.records->ended()) finish();
}

void RunWaiter::finish() {
  RunState state;
  HistoryNeed need;
  Cursor cursor(setup_.records);
  while (const RunEvent* event = cursor.next()) {
    state.apply(*event);
    // A run may have said something and leave no message, and the other way round.
    if (const auto* e = std::get_if<RunCompleted>(&event->body)) need.message_count = e->message_position;
  }
  if (cursor.broken()) return refuse({ErrorCode::kStorage, "The log of the run is damaged", {}});
  // Only an answer stands in the session's past, and the past may be deleted together with a run.
  if (state.ended != RunStatus::kCompleted) return answer(setup_.render(state, {}));
  need.session_id = state.request.session_id;
  history_.fetch(need, [this, alive = liveness_.watch(),
                        state = std::move(state)](std::shared_ptr<const api::SessionView> view) mutable {
    if (alive.expired() || is_over_) return;
    if (!view) return refuse({ErrorCode::kUnavailable, "The answer cannot be read right now", {}});
    answer(setup_.render(state, *view));
  });
}

void RunWaiter::refuse(const Error& error) {
  answer(setup_.dialect->error(error, setup_.exchange->request().id));
}

void RunWaiter::answer(HttpResponse response) {
  for (auto& header : setup_.headers) response.headers.push_back(std::move(header));
  setup_.exchange->respond(std::move(response));
  end();
}

void RunWaiter::abort() {
  setup_.exchange->abort();
  end();
}

void RunWaiter::end() {
  if (is_over_) return;
  is_over_ = true;
  setup_.records->ended() ? setup_.seat.run_is_over() : setup_.seat.give_up();
  over_(*this);
}

}  // namespace braidlog
