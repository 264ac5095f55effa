#include "provider/model_choice.h"

#include <utility>

#include "provider/offline/offline_model.h"
#include "provider/reliable_model.h"

namespace braidlog::provider {

namespace {

// The offline model at its place in a chain.
class OfflineEndpoint final : public Endpoint {
 public:
  explicit OfflineEndpoint(std::shared_ptr<Model> model) : model_(std::move(model)) {}

  std::string_view provider() const override { return model_->provider(); }
  std::string_view name() const override { return model_->name(); }
  bool is_local() const override { return true; }
  std::unique_ptr<ModelCall> ask(const ModelRequest& request, AttemptSink& sink, Loop& loop) override {
    return model_->start(request, sink, loop);
  }

 private:
  const std::shared_ptr<Model> model_;
};

std::string provider_of(const api::ModelSpec& spec, const Environment& environment) {
  if (spec.provider != "auto") return spec.provider;
  // An agent that states how the offline model is to behave means the offline model.
  if (!spec.fail.empty()) return "offline";
  if (environment_names_openai(environment)) return "openai";
  return environment_names_anthropic(environment) ? "anthropic" : "offline";
}

Result<std::shared_ptr<Endpoint>> make_endpoint(const api::ModelSpec& spec, const ModelSources& sources) {
  const std::string provider = provider_of(spec, sources.environment);
  if (provider == "openai") {
    return openai_settings(spec, sources.environment).map([&](OpenAiSettings settings) {
      return sources.servers.openai.make_endpoint(std::move(settings));
    });
  }
  if (provider == "anthropic") {
    return anthropic_settings(spec, sources.environment).map([&](AnthropicSettings settings) {
      return sources.servers.anthropic.make_endpoint(std::move(settings));
    });
  }
  if (provider != "offline") return fail(ErrorCode::kBadField, "there is no model provider of this name");
  return OfflineModel::make(spec, sources.offline_pace)
      .map([](std::shared_ptr<Model> model) -> std::shared_ptr<Endpoint> {
        return std::make_shared<OfflineEndpoint>(std::move(model));
      });
}

// The fallbacks of a fallback stand behind it.
Status append_chain(std::vector<std::shared_ptr<Endpoint>>& chain, const api::ModelSpec& spec,
                    const ModelSources& sources) {
  auto endpoint = make_endpoint(spec, sources);
  if (!endpoint) return fail(std::move(endpoint.error()));
  chain.push_back(std::move(*endpoint));
  for (const auto& next : spec.fallback) {
    if (auto appended = append_chain(chain, next, sources); !appended) return appended;
  }
  return {};
}

// What every model of the chain can read: any of them may have to. 0: not known of any.
std::size_t smallest_context(const api::ModelSpec& spec) {
  std::size_t smallest = spec.context_tokens.value_or(0);
  for (const auto& next : spec.fallback) {
    const std::size_t other = smallest_context(next);
    if (other != 0 && (smallest == 0 || other < smallest)) smallest = other;
  }
  return smallest;
}

}  // namespace

Result<std::shared_ptr<Model>> choose_model(const api::ModelSpec& spec, const ModelSources& sources) {
  const Limits& limits = sources.servers.limits;
  ReliableModel::Setup setup{.first_token_timeout = limits.model_first_token_timeout,
                             .idle_timeout = limits.model_idle_timeout,
                             .retries_max = limits.model_retries_max,
                             .context_tokens = smallest_context(spec)};
  if (auto appended = append_chain(setup.chain, spec, sources); !appended) return fail(std::move(appended.error()));
  return std::make_shared<ReliableModel>(std::move(setup));
}

}  // namespace braidlog::provider
