// The server's own figures, for the agent that is asked how it is doing. Thread-safe.
#pragma once

#include "base/clock.h"
#include "engine/service.h"
#include "net/http_server.h"
#include "port/server_status.h"
#include "runlog/store_counters.h"

namespace braidlog::app {

class LiveFigures final : public ServerStatus {
 public:
  explicit LiveFigures(const Clock& clock) : clock_(clock), started_at_(clock.mono()) {}

  // Once, before the first question: tools are made before what they can be asked about.
  void attach(const Engine& engine, const HttpServer& http, const StoreCounters& store) {
    engine_ = &engine;
    http_ = &http;
    store_ = &store;
  }

  ServerFigures figures() const override;

 private:
  const Clock& clock_;
  const MonoTime started_at_;
  const Engine* engine_ = nullptr;
  const HttpServer* http_ = nullptr;
  const StoreCounters* store_ = nullptr;
};

}  // namespace braidlog::app
