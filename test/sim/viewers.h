// Clients that watch runs. Each connection must bring exactly the bytes of the run's stream from where the client
// stopped, and nothing before it is in the log.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim_server.h"

namespace braidlog::sim {

class Viewers {
 public:
  Viewers(World& world, Checker& checker) : world_(world), checker_(checker) {}

  // One of them comes, leaves, comes back, falls behind or catches up.
  void act(SimServer& server);
  void server_gone(unsigned generation);

  // When nothing is left to do: whoever reads has everything that is committed.
  void check_caught_up(const SimServer& server);

  // Everybody comes back and reads as fast as it can.
  void read_on(SimServer& server);
  // Every run gets one more viewer, who reads it from its beginning.
  void watch_every_run(SimServer& server);
  void check_all_read();

 private:
  struct Viewer {
    int number = 0;
    RunId run_id;
    std::shared_ptr<SimExchange> exchange;  // null before the first connection
    unsigned generation = 0;
    std::size_t start = 0;  // where in the run's stream this connection begins
    std::size_t sent = 0;   // what it brought since
    bool has_all = false;   // and was told so by a 204
    std::size_t has() const { return start + (exchange ? exchange->received() : 0); }
    bool is_watching() const { return exchange && !exchange->is_cut() && !is_done(); }
    bool is_done() const { return has_all || (exchange && exchange->is_complete()); }
  };
  enum class From { kLastSeen, kStart, kAnyEvent, kBogus };

  Viewer& add(RunId run_id);
  void connect(Viewer& viewer, SimServer& server, From from);
  // Which id the client sends, and where the server must go on then.
  RunHistory::Place resume_place(const Viewer& viewer, From from);
  std::string bogus_id(const RunHistory& run);
  void on_sent(Viewer& viewer, std::string_view bytes);
  void on_finished(Viewer& viewer);
  void on_responded(Viewer& viewer, const HttpResponse& response, std::uint64_t troubles_before);
  const RunHistory& run_of(const Viewer& viewer) const { return *checker_.history(viewer.run_id); }

  World& world_;
  Checker& checker_;
  std::list<Viewer> viewers_;           // their addresses stay
  std::map<RunId, std::size_t> shown_;  // how much of each run's stream anybody was sent
};

}  // namespace braidlog::sim
