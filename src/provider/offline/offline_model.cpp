#include "provider/offline/offline_model.h"

#include <utility>

#include "provider/offline/offline_call.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

Result<std::shared_ptr<Model>> OfflineModel::make(const api::ModelSpec& spec,
                                                  std::optional<std::chrono::milliseconds> pace) {
  std::optional<Failure> failure;
  if (!spec.fail.empty()) {
    failure = parse_failure(spec.fail);
    if (!failure) return fail(ErrorCode::kBadField, "the offline model cannot fail as '" + spec.fail + "'");
  }
  return std::make_shared<OfflineModel>(spec.pace.value_or(pace.value_or(kDefaultPace)), failure);
}

std::unique_ptr<ModelCall> OfflineModel::start(ModelRequest request, ModelSink& sink, Loop& loop) {
  const Situation situation = situation_of(request);
  Performance performance;
  performance.answer = failure_ ? fail_as(*failure_, situation) : answer_for(situation);
  performance.pace = pace_;
  performance.input_words = count_words(request);
  performance.first_call_number = situation.call_count + 1;
  performance.response_id = "offline-" + std::to_string(request.messages.size());
  return perform(std::move(performance), sink, loop);
}

}  // namespace braidlog::provider
