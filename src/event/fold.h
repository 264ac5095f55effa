// From the durable bytes of a run to its state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "event/run_state.h"

namespace braidlog {

// `records` are whole, from sequence 1. kStorage when they cannot be read.
Result<RunState> fold_records(std::string_view records);

}  // namespace braidlog
