// What the commands of the binary do: serve until a signal comes, check agent files.
#pragma once

#include "app/options.h"

namespace braidlog::app {

// Serves until SIGTERM or SIGINT; the process's exit code. Prints the address on stdout once it listens.
int serve(const ServeOptions& options);

// Prints what is wrong with the agent files of a folder, or what it found. The process's exit code.
int check_agents(const std::string& folder);

}  // namespace braidlog::app
