// Fields of a run that more than one kind of answer shows, in the one way in which they are written.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/json.h"
#include "event/event_values.h"

namespace braidlog {

// As ISO 8601, or null.
void write_time(JsonWriter& w, const std::optional<WallTime>& time);
// {input_tokens, output_tokens, total_tokens}, or null.
void write_usage(JsonWriter& w, const std::optional<Usage>& usage);

}  // namespace braidlog
