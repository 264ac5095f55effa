// The model in the binary: no key, no network. It follows rules (offline/rules.h), is deterministic, and says
// what it is. One token is one word, both ways.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "api/agent.h"
#include "base/result.h"
#include "port/model.h"
#include "provider/offline/failure.h"

namespace braidlog::provider {

class OfflineModel final : public Model {
 public:
  static constexpr std::chrono::milliseconds kDefaultPace{15};

  // Takes `pace` and `fail` of the spec. `pace` is for agents that state none (BRAIDLOG_OFFLINE_PACE).
  // kBadField for an unknown way to fail.
  static Result<std::shared_ptr<Model>> make(const api::ModelSpec& spec,
                                             std::optional<std::chrono::milliseconds> pace = std::nullopt);

  explicit OfflineModel(std::chrono::milliseconds pace = kDefaultPace, std::optional<Failure> failure = std::nullopt)
      : pace_(pace), failure_(failure) {}

  std::string_view provider() const override { return "offline"; }
  std::string_view name() const override { return "offline"; }
  std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop& loop) override;

 private:
  std::chrono::milliseconds pace_;
  std::optional<Failure> failure_;
};

}  // namespace braidlog::provider
