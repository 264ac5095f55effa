// Which model an agent gets.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "api/agent.h"
#include "base/result.h"
#include "port/model.h"
#include "provider/openai/openai_model.h"

namespace braidlog::provider {

struct ModelSources {
  OpenAiProvider& openai;
  Environment environment;
  std::optional<std::chrono::milliseconds> offline_pace;  // for agents that state none
};

// `auto` is the provider that the environment has a key or an address for, else the offline model. kBadField: a model
// that cannot be asked, in one line for the operator.
Result<std::shared_ptr<Model>> choose_model(const api::ModelSpec& spec, const ModelSources& sources);

}  // namespace braidlog::provider
