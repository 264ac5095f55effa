// The running server: builds every object and passes it by constructor, so that the program's parts can be read in
// one file, then waits for a signal.
#pragma once

#include "app/options.h"

namespace braidlog::app {

// Serves until SIGTERM or SIGINT; the process's exit code. Prints the address on stdout once it listens.
int serve(const ServeOptions& options);

// Prints what is wrong with the agent files of a folder, or what it found. The process's exit code.
int check_agents(const std::string& folder);

}  // namespace braidlog::app
