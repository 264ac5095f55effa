#include "simulation.h"

#include <algorithm>

namespace braidlog::sim {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kStepsMax = 100'000;
constexpr std::int64_t kCalmMsMax = 20 * 60 * 1000;  // every wait of a run is shorter, but for a person's

void count_work(const RunState& run, Counts& counts) {
  counts.steps_made += run.steps;
  for (const auto& turn : run.turns) {
    counts.codes += turn.code.has_value();
    counts.codes_lost += turn.error && turn.error->starts_with("The server restarted");
  }
  counts.executions += run.request.way == Way::kExecute;
  counts.tasks_put_back += run.task.has_value() && is_over(run.ended);
  for (const auto& task : run.tasks) {
    counts.tasks_done += task.worked_on && task.item.status == TaskStatus::kDone;
    counts.tasks_failed += task.worked_on && task.item.status == TaskStatus::kFailed;
  }
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  steps += other.steps;
  runs += other.runs;
  events += other.events;
  crashes += other.crashes;
  takeovers += other.takeovers;
  resumed += other.resumed;
  unknown_outcomes += other.unknown_outcomes;
  waited += other.waited;
  dropped += other.dropped;
  left += other.left;
  steps_made += other.steps_made;
  codes += other.codes;
  code_calls += other.code_calls;
  codes_lost += other.codes_lost;
  executions += other.executions;
  tasks_done += other.tasks_done;
  tasks_failed += other.tasks_failed;
  tasks_put_back += other.tasks_put_back;
  return *this;
}

Outcome Simulation::run() {
  actions_left_ = world_.profile.actions;
  start_server();
  while (actions_left_ > 0 && !world_.violation) step();
  if (!world_.violation) calm_down();
  if (!world_.violation) settle();
  return {world_.violation, count()};
}

// ---- while there is trouble ----

void Simulation::step() {
  ++world_.trace.step;
  auto& random = world_.random;
  if (world_.trace.step > kStepsMax) return world_.violate("the history does not come to an end");
  if (!server_) {
    // Nobody can do anything but wait for the server, or for the disk that it waits for.
    if (random.percent(30)) world_.disk_refuses = world_.reads_fail = false;
    world_.clock.advance(milliseconds(random.between(0, 300)));
    return start_server();
  }
  if (random.percent(8)) return cause_trouble();
  if (random.percent(world_.profile.busy ? 6 : 12)) {
    --actions_left_;
    return act();
  }
  if (random.percent(10)) world_.clock.advance(milliseconds(random.between(0, 5)));
  if (make_move()) return;
  be_quiet();
  if (random.percent(40)) wait_for_timer();
}

void Simulation::act() {
  auto& random = world_.random;
  if (random.percent(world_.profile.talk)) return talkers_.act(*server_);
  if (random.percent(world_.profile.work)) return workers_.act(*server_);
  random.percent(55) ? clients_.act(*server_) : viewers_.act(*server_);
}

bool Simulation::make_move() {
  const std::size_t own = server_ ? server_->moves() : 0;
  const std::size_t others = retired_ ? retired_->moves() : 0;
  if (own + others == 0) return false;
  const std::size_t which = world_.random.below(own + others);
  which < own ? server_->move(which) : retired_->move(which - own);
  return true;
}

void Simulation::cause_trouble() {
  const Profile& profile = world_.profile;
  auto& random = world_.random;
  if (retired_ && random.percent(10)) return retire();
  if (world_.draining && random.percent(30)) return drain_on();
  const auto happens = [&](unsigned chance) { return random.below(20) < chance; };
  if (happens(profile.crash)) return crash();
  if (happens(profile.takeover)) return take_over();
  if (happens(profile.drain)) return drain();
  if (world_.disk_refuses ? random.percent(30) : happens(profile.disk_refuses)) {
    world_.disk_refuses = !world_.disk_refuses;
    world_.trace.say("disk", world_.disk_refuses ? "refuses writes from now on" : "takes writes again");
  }
  if (world_.reads_fail ? random.percent(50) : happens(profile.reads_fail)) {
    world_.reads_fail = !world_.reads_fail;
    world_.trace.say("disk", world_.reads_fail ? "cannot be read at times" : "can be read again");
  }
  if (happens(profile.clock_steps)) {
    const auto by = random.between(-3'600'000, 3'600'000);
    world_.trace.say("clock", "steps by ", by, " ms");
    world_.clock.step_wall(milliseconds(by));
  }
}

void Simulation::be_quiet() {
  if (world_.reads_fail || world_.disk_refuses) return;
  clients_.check_answered(Clients::When::kQuiet);
  talkers_.check_answered(*server_);
  viewers_.check_caught_up(*server_);
  checker_.check_quiet(server_->generation());
}

void Simulation::wait_for_timer() {
  auto next = server_->next_due();
  if (retired_ && retired_->next_due() && (!next || *retired_->next_due() < *next)) next = retired_->next_due();
  if (next && *next > world_.clock.mono()) world_.clock.advance(milliseconds(next->ms - world_.clock.mono().ms));
}

// ---- servers ----

void Simulation::start_server() {
  server_ = std::make_unique<SimServer>(world_, checker_, ++generation_);
  if (auto started = server_->start(); !started) {
    world_.trace.say("server", generation_, " cannot start: ", started.error().message);
    server_.reset();
    return;
  }
  world_.trace.say("server", generation_, " starts with ", world_.profile.loops, " loops");
}

// The process is gone between two moves, and with it everything but the tables.
void Simulation::crash() {
  world_.trace.say("server", generation_, " crashes");
  ++counts_.crashes;
  const unsigned gone = server_->generation();
  server_.reset();
  end_clients(gone);
  retire();
  checker_.on_server_gone();
  world_.draining = world_.two_owners = clients_stopped_ = false;
  world_.clock.advance(milliseconds(world_.random.between(0, 3'000)));
}

// A second server claims the runs of the first, which goes on as if nothing had happened.
void Simulation::take_over() {
  if (retired_) return;
  ++counts_.takeovers;
  world_.two_owners = true;
  retired_ = std::move(server_);
  world_.trace.say("server", generation_, " loses its runs to another");
  start_server();
}

void Simulation::retire() {
  if (!retired_) return;
  world_.trace.say("server", retired_->generation(), " crashes");
  const unsigned gone = retired_->generation();
  retired_.reset();
  end_clients(gone);
}

void Simulation::end_clients(unsigned generation) {
  clients_.server_gone(generation);
  talkers_.server_gone(generation);
  workers_.server_gone(generation);
  viewers_.server_gone(generation);
}

void Simulation::drain() {
  world_.trace.say("server", generation_, " is told to stop");
  world_.draining = true;
  server_->drain();
}

// Streams are cut last, and then the process ends.
void Simulation::drain_on() {
  if (!std::exchange(clients_stopped_, true)) {
    checker_.on_clients_stopped();
    return server_->stop_client_runs();
  }
  server_->cut_streams();
  crash();
}

// ---- when the troubles are over ----

// Runs that a server lost, or that were started on it afterwards, and orders that only it heard of wait for the next
// claim: with several servers there is one more start.
void Simulation::calm_down() {
  world_.trace.say("world", "calms down");
  world_.disk_refuses = world_.reads_fail = false;
  if (server_ && (world_.two_owners || world_.draining)) crash();
  while (!server_ && !world_.violation) step();
  if (!world_.violation) viewers_.read_on(*server_);
}

void Simulation::settle() {
  const auto began = world_.clock.mono();
  while (!world_.violation) {
    ++world_.trace.step;
    if (world_.trace.step > kStepsMax) return world_.violate("the history does not come to an end");
    if (make_move()) continue;
    be_quiet();
    if (everything_ended()) break;
    const auto calm_ms = world_.clock.mono().ms - began.ms;
    if (calm_ms > kCalmMsMax) return world_.violate("a run waits for nobody, and goes on for ever");
    // People dawdle, but they come in the end.
    const bool decides = world_.random.percent(50) || calm_ms > kCalmMsMax / 2;
    if (decides && clients_.decide_one(*server_)) continue;
    wait_for_timer();
  }
  viewers_.read_on(*server_);
  viewers_.watch_every_run(*server_);
  while (!world_.violation && make_move()) ++world_.trace.step;
  // Whoever used a link might have come back until now.
  world_.clock.advance(world_.profile.limits.client_return_grace);
  while (!world_.violation && make_move()) ++world_.trace.step;
  if (world_.violation) return;
  be_quiet();
  clients_.check_answered(Clients::When::kAllOver);
  viewers_.check_all_read();
  checker_.check_ends();
  if (const auto left = server_->leftovers(); !left.empty()) world_.violate("all is over, and there is still ", left);
}

bool Simulation::everything_ended() const {
  return std::ranges::all_of(checker_.histories(), [](const auto& run) { return run.second.ended(); });
}

Counts Simulation::count() const {
  Counts counts = counts_;
  counts.steps = world_.trace.step;
  for (const auto& [id, run] : checker_.histories()) {
    ++counts.runs;
    counts.events += run.state().last.value;
    counts.resumed += run.resumed();
    counts.waited += run.state().is_begun && run.state().started_at > run.state().queued_at;
    counts.dropped += run.was_dropped();
    counts.left += run.interrupted_for() == "client_gone";
    for (const auto& call : run.state().calls) {
      counts.unknown_outcomes += call.status == ToolStatus::kOutcomeUnknown;
      counts.code_calls += call.by_code;
    }
    count_work(run.state(), counts);
  }
  return counts;
}

}  // namespace braidlog::sim
