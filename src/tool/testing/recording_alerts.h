// Alerts in memory, for the tests of tools: one per run and call, as the port promises; the reply comes when a test
// says.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "port/alerts.h"

namespace braidlog::tool::testing {

class RecordingAlerts final : public Alerts {
 public:
  void raise(api::Alert alert, Loop& back, UniqueFunction<void(Result<std::uint64_t>)> reply) override {
    const auto key = std::make_pair(alert.run_id, alert.call_id);
    if (!failure_ && !tickets_.contains(key)) {
      tickets_[key] = tickets_.size() + 42;
      kept.push_back(std::move(alert));
    }
    Result<std::uint64_t> result = failure_ ? Result<std::uint64_t>(fail(*failure_)) : tickets_[key];
    back.post([reply = std::move(reply), result = std::move(result)]() mutable { reply(std::move(result)); });
  }

  void break_with(ErrorCode code) { failure_ = Error{code, "the table of alerts is on fire", {}}; }

  std::vector<api::Alert> kept;

 private:
  std::map<std::pair<RunId, ToolCallId>, std::uint64_t> tickets_;
  std::optional<Error> failure_;
};

}  // namespace braidlog::tool::testing
