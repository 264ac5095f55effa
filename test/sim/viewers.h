// Clients that watch runs: those who begin one and read what comes of it, and those who only look. Each connection must
// bring exactly the bytes of the run's stream in its contract, from where the client stopped, and nothing before it is
// in the log.
#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "sim_server.h"
#include "watch.h"

namespace braidlog::sim {

class Viewers {
 public:
  Viewers(World& world, Checker& checker);

  // One of them comes, leaves, comes back, falls behind or catches up.
  void act(SimServer& server);
  // Somebody begins a run, or means one that is there, and reads what comes of it.
  void begin(SimServer& server, Watch::Opening opening);
  void server_gone(unsigned generation);

  // When nothing is left to do: whoever reads has everything that is committed.
  void check_caught_up(const SimServer& server);

  // Everybody comes back and reads as fast as it can.
  void read_on(SimServer& server);
  // Every run gets one more viewer, who reads it from its beginning.
  void watch_every_run(SimServer& server);
  void check_all_read();

 private:
  enum class From { kLastSeen, kStart, kAnyEvent, kBogus };
  // Where a client goes on: the id that it shows, and where the stream must go on then.
  struct Entry {
    std::string event_id{};
    std::size_t offset = 0;
    enum class Kind { kTrue, kOfNothing, kFuture } kind = Kind::kTrue;
  };

  Watch& add(const Dialect& contract);
  void watch_any(SimServer& server);
  void come_back(Watch& watch, SimServer& server);
  void open(Watch& watch, SimServer& server);
  void connect(Watch& watch, SimServer& server, From from);
  void attach(Watch& watch, SimServer& server, HttpRequest request);
  Entry entry(const Watch& watch, const Dialect& contract, From from);
  Entry any_event(const RunHistory& run, const Dialect& contract);
  Entry bogus(const RunHistory& run);
  HttpRequest request_for(const Watch& watch, const Entry& entry, bool by_own_url);

  void learn_run(Watch& watch, std::string_view bytes);
  void on_sent(Watch& watch, std::string_view bytes);
  void on_finished(Watch& watch);
  void on_cut(Watch& watch);
  void on_responded(Watch& watch, const HttpResponse& response);
  void on_refused(Watch& watch, const HttpResponse& response);
  bool is_excused(const Watch& watch) const;
  bool is_deleted(const Watch& watch) const;
  void check_caught_up(const Watch& watch);
  const RunHistory& run_of(const Watch& watch) const { return *checker_.history(*watch.run_id); }
  const ContractStream& stream_of(const Watch& watch) const { return run_of(watch).stream(*watch.contract); }

  World& world_;
  Checker& checker_;
  const std::vector<const Dialect*> contracts_;
  std::list<Watch> watches_;         // their addresses stay
  int count_ = 0;                    // of all that ever were
  std::map<RunId, Sequence> shown_;  // the last event that anybody was sent something of
};

}  // namespace braidlog::sim
