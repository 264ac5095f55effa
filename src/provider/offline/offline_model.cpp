#include "provider/offline/offline_model.h"

#include <algorithm>
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

namespace {

// The same situation gives the same answer: what was said of it before a restart is left out.
void skip_said(Answer& answer, std::string_view said) {
  std::erase_if(answer.pieces, [](const Piece& piece) { return std::holds_alternative<Think>(piece); });
  for (Piece& piece : answer.pieces) {
    auto* say = std::get_if<Say>(&piece);
    if (say == nullptr) return;
    const std::size_t count = std::min(said.size(), say->text.size());
    if (say->text.compare(0, count, said, 0, count) != 0) return;
    say->text.erase(0, count);
    said.remove_prefix(count);
  }
}

}  // namespace

std::unique_ptr<ModelCall> OfflineModel::start(ModelRequest request, ModelSink& sink, Loop& loop) {
  const Situation situation = situation_of(request);
  Performance performance;
  performance.answer = failure_ ? fail_as(*failure_, situation) : answer_for(situation);
  if (request.continue_last) skip_said(performance.answer, request.messages.back().text);
  performance.pace = pace_;
  performance.input_words = count_words(request);
  performance.first_call_number = situation.call_count + 1;
  performance.response_id = "offline-" + std::to_string(request.messages.size());
  return perform(std::move(performance), sink, loop);
}

}  // namespace braidlog::provider
