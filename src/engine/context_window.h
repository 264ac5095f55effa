// What a model can read at once is limited: a conversation that is longer is cut, so that a provider never refuses it.
//
// Instructions and the tools on offer always stay. Of the conversation before this run the oldest turns go first,
// whole: what is left begins with something that the user said. When the run alone is too long, results of its earlier
// tool calls are shortened, the oldest first, then whatever is longest; a call and its result always stay together. The
// model is told that something was left out. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "port/model.h"

namespace braidlog {

// A guess from above for ordinary text: providers count in ways of their own, and a cut too much is better than a call
// that is refused.
std::size_t guess_tokens(std::string_view text);

// `before` is how many of the messages stand before this run. `tokens` is for everything that is sent.
void fit_into(ModelRequest& request, std::size_t before, std::size_t tokens);

// What may be sent to a model that reads and writes `context_tokens` in all, `answer_tokens` of them for its answer.
std::size_t prompt_tokens(std::size_t context_tokens, std::size_t answer_tokens);

}  // namespace braidlog
