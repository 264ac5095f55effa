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

bool is_terminal(const RunEventBody& body) {
  return std::holds_alternative<RunCompleted>(body) || std::holds_alternative<RunFailed>(body) ||
         std::holds_alternative<RunInterrupted>(body);
}

}  // namespace braidlog
