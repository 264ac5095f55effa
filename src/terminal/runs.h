// `braidlog runs list | show | tail`: the runs of a server.
#pragma once

#include "terminal/options.h"

namespace braidlog::terminal {

// The process's exit code: 0; 1 when there is no such run or no server, or when it refuses.
int runs(const RunsOptions& options);

}  // namespace braidlog::terminal
