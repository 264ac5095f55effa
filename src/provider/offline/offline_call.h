// Plays an Answer to a sink, a word at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "port/model.h"
#include "provider/offline/answer.h"

namespace braidlog::provider {

struct Performance {
  Answer answer;
  std::chrono::milliseconds pace{0};  // between two words; 0: as fast as the loop turns
  std::uint64_t input_words = 0;
  std::size_t first_call_number = 1;  // names the tool calls call_1, call_2, … over a whole conversation
  std::string response_id;
};

// Begins with the next task of `loop`. At pace 0 the words come in slices, one task each, so that the loop
// serves others in between and the call can be cancelled.
std::unique_ptr<ModelCall> perform(Performance performance, ModelSink& sink, Loop& loop);

}  // namespace braidlog::provider
