// One request that is answered when its run is over, and not before. Runs on: the io thread of the run.
#pragma once

#include <memory>
#include <vector>

#include "event/run_state.h"
#include "net/exchange.h"
#include "runlog/run_records.h"
#include "server/history_source.h"
#include "server/run_clients.h"

namespace braidlog {

class RunWaiter final : private CommitListener {
 public:
  struct Setup {
    std::shared_ptr<Exchange> exchange;
    const Dialect* dialect = nullptr;  // for errors
    std::vector<HttpHeader> headers;   // added to the answer's
    std::shared_ptr<RunRecords> records;
    UniqueFunction<HttpResponse(const RunState&, const api::SessionView&)> render;
    RunClients::Seat seat;
    std::string credential;
  };
  // `over` is told once, when the answer is given or nobody waits for it any more; the waiter may be destroyed after
  // the task in which it is told. `history` outlives the waiter.
  RunWaiter(Setup setup, HistorySource& history, UniqueFunction<void(RunWaiter&)> over);
  ~RunWaiter() override;

  void start();
  // Cuts the connection: nobody is to have the answer.
  void abort();
  const std::string& credential() const { return setup_.credential; }

 private:
  void on_committed() override;
  void finish();
  void refuse(const Error& error);
  void answer(HttpResponse response);
  void end();

  Setup setup_;
  HistorySource& history_;
  UniqueFunction<void(RunWaiter&)> over_;
  bool listening_ = false, is_over_ = false;
  Liveness liveness_;
};

}  // namespace braidlog
