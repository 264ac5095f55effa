// The clients that runs depend on. A run that stops with its client has a seat here as long as the client is there;
// when the last one is given up, the run is told to stop: at once, or after a while in which somebody may take the
// place (ViewerRole). Runs on: the io thread of the runs.
#pragma once

#include <unordered_map>
#include <utility>

#include "api/caller.h"
#include "base/loop.h"
#include "dialect/dialect.h"

namespace braidlog {

class RunClients {
 public:
  // `stop` is told the run and who its client was.
  using Stop = UniqueFunction<void(RunId, const api::Caller&)>;
  RunClients(Loop& loop, std::chrono::milliseconds return_grace, Stop stop)
      : loop_(loop), return_grace_(return_grace), stop_(std::move(stop)) {}

  // A client's place; giving it up is what its destruction does. The RunClients outlive it.
  class Seat {
   public:
    Seat() = default;
    Seat(RunClients& clients, RunId run_id) : clients_(&clients), run_id_(run_id) {}
    ~Seat() { give_up(); }
    Seat(Seat&& other) noexcept : clients_(std::exchange(other.clients_, nullptr)), run_id_(other.run_id_) {}
    Seat& operator=(Seat&& other) noexcept {
      give_up();
      clients_ = std::exchange(other.clients_, nullptr);
      run_id_ = other.run_id_;
      return *this;
    }
    void give_up() {
      if (auto* clients = std::exchange(clients_, nullptr)) clients->leave(run_id_);
    }
    // The run is over: nobody has to be told anything.
    void run_is_over() {
      if (auto* clients = std::exchange(clients_, nullptr)) clients->runs_.erase(run_id_);
    }

   private:
    RunClients* clients_ = nullptr;
    RunId run_id_;
  };

  // An empty seat for who only looks.
  Seat sit_down(RunId run_id, ViewerRole role, const api::Caller& caller);

 private:
  struct Run {
    std::size_t seats = 0;
    bool may_come_back = false;
    api::Caller caller;
    Timer timer;
  };
  void leave(RunId run_id);
  void stop(RunId run_id);

  Loop& loop_;
  const std::chrono::milliseconds return_grace_;
  Stop stop_;
  std::unordered_map<RunId, Run> runs_;
};

}  // namespace braidlog
