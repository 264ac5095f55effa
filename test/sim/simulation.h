// One seed, one history. A step is one move of one part: a task or a timer of a loop, a move of the store, something a
// client or a viewer does, or a trouble. Which part moves is chance, so every order that threads could bring about
// comes up. When the clients have done enough the troubles stop, and then everything must come to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "clients.h"
#include "sim_server.h"
#include "talkers.h"
#include "viewers.h"
#include "workers.h"

namespace braidlog::sim {

// What came up in a history: to see that a simulation is about something.
struct Counts {
  std::uint64_t steps = 0, runs = 0, events = 0, crashes = 0, takeovers = 0, resumed = 0, unknown_outcomes = 0;
  std::uint64_t waited = 0, dropped = 0, left = 0;  // runs that waited, that were dropped, that their client left
  std::uint64_t steps_made = 0, codes = 0, code_calls = 0, codes_lost = 0;  // lost: a restart ended it after a call
  std::uint64_t executions = 0, tasks_done = 0, tasks_failed = 0, tasks_put_back = 0;
  Counts& operator+=(const Counts& other);
};

struct Outcome {
  std::optional<std::string> violation;
  Counts counts;
};

class Simulation {
 public:
  Simulation(std::uint64_t seed, bool traced) : world_(seed, traced), checker_(world_) {}
  Outcome run();

 private:
  void step();
  void act();
  bool make_move();
  void cause_trouble();
  void be_quiet();  // nothing moves by itself: the place to look whether somebody was forgotten
  void wait_for_timer();

  void start_server();
  void crash();
  void take_over();
  void drain();
  void drain_on();
  void retire();
  void end_clients(unsigned generation);  // of a server that is gone

  void calm_down();
  void settle();
  bool everything_ended() const;
  Counts count() const;

  World world_;
  Checker checker_;
  Clients clients_{world_, checker_};
  Viewers viewers_{world_, checker_};
  Talkers talkers_{world_, checker_, viewers_};
  Workers workers_{world_, checker_, clients_, viewers_};
  unsigned generation_ = 0;
  std::unique_ptr<SimServer> server_;   // null: it does not run
  std::unique_ptr<SimServer> retired_;  // another one has claimed its runs, and it does not know
  unsigned actions_left_ = 0;
  bool clients_stopped_ = false;  // by the server that is told to stop
  Counts counts_;
};

}  // namespace braidlog::sim
