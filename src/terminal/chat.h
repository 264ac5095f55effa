// `braidlog chat`: an agent in the terminal.
#pragma once

#include "terminal/options.h"

namespace braidlog::terminal {

// The process's exit code: 0; 1 when there is no server, when it refuses, or when a run failed and nobody was there to
// go on; 130 when Ctrl-C left a run alone.
int chat(const ChatOptions& options);

}  // namespace braidlog::terminal
