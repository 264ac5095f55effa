// A whole server over simulated loops and a simulated disk: everything that app/wiring.cpp builds, but for sockets,
// threads, providers and tools. Destroying it is a crash: nothing is told to anybody, and only the tables are left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/testing/fake_loop.h"
#include "engine/service.h"
#include "net/http_server.h"
#include "server/request_handler.h"
#include "sim_exchange.h"
#include "store_queue.h"
#include "tool/testing/memory_workspace.h"
#include "world_tool.h"

namespace braidlog::sim {

// "Bearer NAME" is the user NAME; nobody else is let in.
class SimAuthenticator final : public Authenticator {
 public:
  Result<api::Caller> authenticate(const Credentials& credentials) const override;
};

class SimServer {
 public:
  // `generation` counts the servers of a simulation from 1.
  SimServer(World& world, Checker& checker, unsigned generation);
  ~SimServer();

  // Takes up what the last server left. An error: the disk would not have it, and the process ends.
  Status start() { return recover_runs(*engine_, store_); }
  // What SIGTERM does, step by step: no new runs, then the runs that stop with their clients are told so, then the
  // streams are cut.
  void drain() { engine_->draining = true; }
  void stop_client_runs();
  void cut_streams();

  unsigned generation() const { return generation_; }
  // A request reaches one of the loops.
  std::shared_ptr<SimExchange> receive(HttpRequest request, SimExchange::Watcher watcher);

  // ---- one move each; false when there is nothing to do
  std::size_t moves() const;
  void move(std::size_t which);
  std::optional<MonoTime> next_due() const;

  // What is left of runs, timers and queues, in words; empty when nothing is.
  std::string leftovers() const;

 private:
  bool can_run(const SimLoop& loop) const;
  bool has_whole_budget() const;

  World& world_;
  const unsigned generation_;
  std::vector<std::unique_ptr<SimLoop>> loops_;
  SimStore store_;
  StoreQueue queue_;
  SimCatalog agents_;
  tool::testing::MemoryWorkspace workspace_;
  testing::InlinePool pool_;
  std::unique_ptr<Engine> engine_;  // outlives the runs: they give their places in its budgets back
  std::vector<std::unique_ptr<RunHost>> hosts_;
  std::vector<std::unique_ptr<EngineService>> services_;
  std::vector<std::unique_ptr<StreamHub>> hubs_;
  std::vector<std::unique_ptr<WatchHub>> watch_hubs_;
  SimAuthenticator authenticator_;
  std::unique_ptr<Operations> operations_;
  SiteGuard guard_{"127.0.0.1", {}, true};
  std::unique_ptr<RequestHandler> handler_;
};

}  // namespace braidlog::sim
