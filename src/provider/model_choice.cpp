#include "provider/model_choice.h"

#include <utility>

#include "provider/offline/offline_model.h"

namespace braidlog::provider {

Result<std::shared_ptr<Model>> choose_model(const api::ModelSpec& spec, const ModelSources& sources) {
  const bool wants_openai = spec.provider == "openai";
  // An agent that states how the offline model is to behave means the offline model.
  const bool may_be_openai = spec.provider == "auto" && spec.fail.empty();
  if (!wants_openai && !(may_be_openai && environment_names_openai(sources.environment))) {
    return OfflineModel::make(spec, sources.offline_pace);
  }
  auto settings = openai_settings(spec, sources.environment);
  if (!settings) return fail(std::move(settings.error()));
  return sources.openai.make_model(std::move(*settings));
}

}  // namespace braidlog::provider
