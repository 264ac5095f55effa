// Which model an agent gets.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "api/agent.h"
#include "base/environment.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/http_client.h"
#include "port/model.h"
#include "provider/anthropic/anthropic_model.h"
#include "provider/openai/openai_model.h"

namespace braidlog::provider {

// The providers of models behind servers, each with what its models share. Outlives all models.
struct ModelServers {
  ModelServers(HttpClients& clients, const Limits& limits_in)
      : openai(clients, limits_in), anthropic(clients, limits_in), limits(limits_in) {}

  OpenAiProvider openai;
  AnthropicProvider anthropic;
  const Limits limits;
};

struct ModelSources {
  ModelServers& servers;
  Environment environment;
  std::optional<std::chrono::milliseconds> offline_pace;  // for agents that state none
};

// A ReliableModel of the spec and its fallbacks. `auto` is the provider that the environment has a key or an address
// for, OpenAI before Anthropic, else the offline model. kBadField: a model that cannot be asked, in one line for the
// operator.
Result<std::shared_ptr<Model>> choose_model(const api::ModelSpec& spec, const ModelSources& sources);

}  // namespace braidlog::provider
