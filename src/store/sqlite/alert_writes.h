// Alerts of agents to administrators.
#pragma once

#include "port/run_store.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread, inside a transaction.
class AlertWrites {
 public:
  explicit AlertWrites(Database& database) : database_(database) {}

  Result<WriteOutcome> apply(const AddAlert& write) {
    const api::Alert& alert = write.alert;
    if (auto status = insert_.run(alert.run_id, alert.call_id, alert.session_id, alert.user_id, alert.at, alert.message,
                                  alert.priority);
        !status) {
      return fail(status.error());
    }
    WriteOutcome outcome;
    auto found = find_.one([&](const Row& row) { outcome.ticket = row.number(0); }, alert.run_id, alert.call_id);
    if (!found) return fail(found.error());
    return outcome;
  }

 private:
  Database& database_;
  Statement insert_{database_,
                    "INSERT OR IGNORE INTO alert(run_id, call_id, session_id, user_id, created_at, message, priority)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?)"};
  Statement find_{database_, "SELECT ticket FROM alert WHERE run_id = ? AND call_id = ?"};
};

}  // namespace braidlog::store
