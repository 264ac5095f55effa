// Starts the command of an MCP server: never through a shell, in a process group of its own, with three pipes, the
// environment it was given and nothing else of this process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "net/unique_fd.h"

namespace braidlog::tool::mcp {

struct SpawnPlan {
  std::vector<std::string> argv;         // the first is looked for in the PATH of `environment`, unless it has a slash
  std::vector<std::string> environment;  // "NAME=value"
  std::string folder;                    // where it runs, and where a program with a slash begins; empty: here
};

// Our ends of the pipes; they do not block.
struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;
  UniqueFd input;   // write
  UniqueFd output;  // read
  UniqueFd errors;  // read
};

// kToolFailed in words for the operator: there is no such program, it may not be run, or there is no room for it. The
// program dies with the thread that calls this: call it from one that stays.
Result<Spawned> spawn(const SpawnPlan& plan);

}  // namespace braidlog::tool::mcp
