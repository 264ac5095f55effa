// The reasons for which servers end an answer, in the words that are known of them.
#pragma once

#include <optional>
#include <string_view>

#include "event/event_values.h"

namespace braidlog::provider {

// None: the answer failed, whatever was said before. Words that are not known are an ordinary end. `has_calls`: after
// tool calls an ordinary end means that they are to be run, whatever the server calls it.
std::optional<FinishReason> unified_reason(std::string_view word, bool has_calls);

// Of two reasons given for one answer the graver one: what failed or was cut is not made good by a "stop" behind it.
bool is_graver(std::string_view word, std::string_view than);

}  // namespace braidlog::provider
