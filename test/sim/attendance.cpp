#include "attendance.h"

#include <algorithm>

namespace braidlog::sim {

void Attendance::asks(std::string text, Way way, std::shared_ptr<SimExchange> exchange, unsigned generation) {
  guests_.push_back({std::move(text), way, std::move(exchange), generation, world_.trace.step, world_.clock.wall(),
                     std::nullopt, false});
}

void Attendance::returns(RunId run, std::shared_ptr<SimExchange> exchange, unsigned generation) {
  guests_.push_back(
      {{}, std::nullopt, std::move(exchange), generation, world_.trace.step, world_.clock.wall(), run, false});
}

long Attendance::holds(const SimExchange& exchange) const {
  return std::ranges::count(guests_, &exchange, [](const Guest& guest) { return guest.exchange.get(); });
}

// Whoever finds a client there, or one that left a moment ago, has taken its place or sits beside it.
void Attendance::sees(const SimExchange& exchange, const RunHistory& run) {
  const auto guest = std::ranges::find(guests_, &exchange, [](const Guest& g) { return g.exchange.get(); });
  if (guest == guests_.end() || guest->is_client) return;
  guest->run = run.id();
  const auto age = guest->asked_wall.ms - run.state().queued_at.ms;
  if (guest->way == Way::kLink && age >= world_.profile.limits.same_text_window.count() && is_clock_steady()) {
    world_.violate("a link led to ", run.id(), ", which was begun too long ago");
  }
  const auto begun_by = begun_by_.find(run.id());
  if (begun_by == begun_by_.end() || begun_by->second != Way::kLink) return;
  guest->is_client = std::ranges::any_of(guests_, [&](const Guest& other) {
    return &other != &*guest && other.is_client && other.run == run.id() && has_place_at(other, exchange.begun_at());
  });
}

bool Attendance::has_place_at(const Guest& client, MonoTime time) const {
  const SimExchange& exchange = *client.exchange;
  if (!exchange.is_begun() || exchange.begun_at() > time) return false;
  return !exchange.is_gone() || time.ms - exchange.gone_at().ms < world_.profile.limits.client_return_grace.count();
}

void Attendance::made(const RunHistory& run, unsigned generation, const RunHistory* before) {
  const auto& request = run.state().request;
  if (!request.stops_with_client) return;
  const auto may_have = [&](const Guest& guest) {
    return guest.text == request.text && guest.generation == generation && !guest.run && !guest.exchange->is_answered();
  };
  auto& begun_by = begun_by_[run.id()];
  if (std::ranges::count_if(guests_, may_have) != 1) return;
  const auto client = std::ranges::find_if(guests_, may_have);
  client->run = run.id();
  client->is_client = true;
  begun_by = client->way;
  if (before) check_asked_again(*client, run, *before);
}

// A browser that opens its link again means the answer that is under way. Not so where the clock was moved.
void Attendance::check_asked_again(const Guest& client, const RunHistory& run, const RunHistory& before) {
  const RunState& state = before.state();
  const bool was_at_work = before.at_work_since() && *before.at_work_since() < client.asked_at;
  const auto age = world_.clock.wall().ms - state.queued_at.ms;
  if (client.way == Way::kLink && was_at_work && !state.interrupt_reason && state.request.text == client.text &&
      age < world_.profile.limits.same_text_window.count() && is_clock_steady() && !world_.two_owners) {
    world_.violate(run.id(), " was begun by a link that means ", before.id());
  }
}

void Attendance::stopped(RunId run) {
  if (world_.two_owners) return;
  const bool may_come_back = begun_by_[run] == Way::kLink;
  for (const Guest& guest : guests_) {
    if (!guest.is_client || guest.run != run) continue;
    if (guest.exchange->is_attended()) world_.violate(run, " was stopped because its client is gone, and it is there");
    if (may_come_back && guest.exchange->is_gone() && has_place_at(guest, world_.clock.mono())) {
      world_.violate(run, " was stopped before its client could come back");
    }
  }
}

bool Attendance::may_be_client(const Guest& guest, const RunHistory& run) const {
  const auto begun_by = begun_by_.find(run.id());
  const bool is_known = begun_by != begun_by_.end() && begun_by->second.has_value();
  // Nobody can take the place of a client that cannot come back.
  if (is_known && begun_by->second != Way::kLink) return guest.is_client && guest.run == run.id();
  return guest.run ? guest.run == run.id() : guest.text == run.state().request.text;
}

void Attendance::check_left(const RunHistory& run, unsigned generation) {
  const RunState& state = run.state();
  if (!state.request.stops_with_client || run.ended() || state.interrupt_reason) return;
  const auto begun_by = begun_by_.find(run.id());
  const bool may_come_back = begun_by == begun_by_.end() || begun_by->second.value_or(Way::kLink) == Way::kLink;
  const auto grace = may_come_back ? world_.profile.limits.client_return_grace.count() : 0;
  for (const Guest& guest : guests_) {
    if (guest.generation != generation || !may_be_client(guest, run)) continue;
    if (guest.exchange->is_attended()) return;
    const auto noticed = guest.exchange->noticed_at();
    if (noticed && world_.clock.mono().ms - noticed->ms < grace) return;
  }
  world_.violate(run.id(), " goes on, and its client is gone");
}

}  // namespace braidlog::sim
