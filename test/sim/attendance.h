// Who the clients of runs are that stop with their client, as far as it can be known from outside: who asked for what,
// when the server let them in, and when they left. A run must go on while its client is there, and stop when it has
// gone for good. Where two requests could have begun a run nobody is sure to be its client, and everybody may be.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "run_history.h"
#include "sim_exchange.h"

namespace braidlog::sim {

class Attendance {
 public:
  explicit Attendance(World& world) : world_(world) {}

  // ---- what clients do

  // How a turn is asked for. Whoever used a link may come back, and others may take its place meanwhile.
  enum class Way { kPost, kLink, kAnswer };
  // A request that may begin a run of that text, or mean one that is there.
  void asks(std::string text, Way way, std::shared_ptr<SimExchange> exchange, unsigned generation);
  // Somebody comes back to a run, with an id, through a URL that would start one.
  void returns(RunId run, std::shared_ptr<SimExchange> exchange, unsigned generation);
  // The first frame said which run it is.
  void sees(const SimExchange& exchange, const RunHistory& run);

  // How often the exchange is held here.
  long holds(const SimExchange& exchange) const;

  // ---- what is committed

  // `generation`: of the server that made it; `before`: the run at work in its session then, or null.
  void made(const RunHistory& run, unsigned generation, const RunHistory* before);
  // The run was told to stop because its client is gone.
  void stopped(RunId run);

  // When nothing moves: a run whose client is gone was told so. `generation`: of the server that has the run.
  void check_left(const RunHistory& run, unsigned generation);

 private:
  struct Guest {
    std::string text;
    std::optional<Way> way;  // none: it came back
    std::shared_ptr<SimExchange> exchange;
    unsigned generation = 0;
    std::uint64_t asked_at = 0;  // which step
    WallTime asked_wall{};
    std::optional<RunId> run;
    bool is_client = false;  // for sure
  };
  bool has_place_at(const Guest& client, MonoTime time) const;
  void check_asked_again(const Guest& client, const RunHistory& run, const RunHistory& before);
  bool is_clock_steady() const { return world_.profile.clock_steps == 0; }
  bool may_be_client(const Guest& guest, const RunHistory& run) const;

  World& world_;
  std::list<Guest> guests_;
  std::map<RunId, std::optional<Way>> begun_by_;  // none: nobody knows which of several
};

}  // namespace braidlog::sim
