// Requests for the log of a run, and for many runs in one stream.
#pragma once

#include "api/run.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::log {

Result<api::GetRun> read_log(const RouteRequest& request);

// `?watch=VIEW:RUN[:AFTER]`, as often as wanted up to the limit, `notices=1` and `scope=all`. kBadField for what is not
// spelled like that; a RUN that could be the name of a run but is none is left to the stream.
Result<OpenWatch> read_watch(const RouteRequest& request);

}  // namespace braidlog::log
