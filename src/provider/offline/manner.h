// How the user wants work done: in one go, step by step, in so many steps, with a mistake on purpose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braidlog::provider {

struct Manner {
  bool step_by_step = false;  // every part of the work is an action of its own
  std::size_t steps = 0;      // so many actions; 0: as many as there are parts
  bool errs_first = false;    // the first attempt has a mistake, to see how it is told and corrected
};

Manner manner_of(std::string_view ask);
// What is left of the ask without such words: "17 * 23" of "Compute 17 * 23 step by step, please" keeps "Compute".
std::string without_manner(std::string_view ask);

// A number in digits, or in words up to twelve; 0: neither.
std::size_t small_number(std::string_view word);

}  // namespace braidlog::provider
