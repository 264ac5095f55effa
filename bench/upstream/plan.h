// How an answer is to be streamed. The model's name in the request says it, so one upstream serves every scenario and
// the server under test only needs agents with different models:
//
//   burst-TOKENS        everything in one write
//   pace-TOKENS-MS      one token every MS milliseconds, the first at once, each stamped with the time it was sent
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

struct Plan {
  std::uint64_t tokens = 0;
  std::uint64_t interval_ms = 0;  // 0: a burst
};

std::optional<Plan> parse_plan(std::string_view model);

// The value of "model" in the body of a request; empty when there is none.
std::string_view model_of(std::string_view body);

}  // namespace bench
