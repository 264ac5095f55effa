// What `braidlog agents check` prints.
#pragma once

#include "agent/catalog.h"

namespace braidlog::app {

// A line for each good agent on stdout, with its version, model and tools; a line for each fault on stderr. Gives the
// exit code: 1 with faults.
int print_check(const agent::FolderCheck& check);

}  // namespace braidlog::app
