// Alerts that are kept in the store. Thread-safe.
#pragma once

#include "port/alerts.h"
#include "runlog/store_access.h"

namespace braidlog {

class StoredAlerts final : public Alerts {
 public:
  explicit StoredAlerts(StoreAccess& store) : store_(store) {}

  void raise(api::Alert alert, Loop& back, UniqueFunction<void(Result<std::uint64_t>)> reply) override {
    submit_one(store_, AddAlert{std::move(alert)}, back,
               [reply = std::move(reply)](Result<WriteOutcome> written) mutable {
                 written ? reply(written->ticket) : reply(fail(written.error()));
               });
  }

 private:
  StoreAccess& store_;
};

}  // namespace braidlog
