// What `braidlog user …` and `braidlog key …` do.
#pragma once

#include "app/options.h"

namespace braidlog::app {

// The process's exit code: 0 done, 1 not done, with one line on stderr that says why.
int run_identity_command(const IdentityCommand& command);

}  // namespace braidlog::app
