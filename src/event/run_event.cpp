#include "event/run_event.h"

namespace braidlog {

Usage& Usage::operator+=(const Usage& other) {
  input_tokens += other.input_tokens;
  output_tokens += other.output_tokens;
  cached_input_tokens += other.cached_input_tokens;
  cache_write_tokens += other.cache_write_tokens;
  reasoning_tokens += other.reasoning_tokens;
  return *this;
}

// Asked twice per token. std::holds_alternative looks for the place of its type in the list at run time here, which
// took a twelfth of all instructions of a burst; std::get_if knows it.
bool is_terminal(const RunEventBody& body) {
  return std::get_if<RunCompleted>(&body) != nullptr || std::get_if<RunFailed>(&body) != nullptr ||
         std::get_if<RunInterrupted>(&body) != nullptr;
}

}  // namespace braidlog
