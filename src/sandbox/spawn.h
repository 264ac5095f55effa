// Starts a process from a server with many threads. Between the fork and the program nothing happens but system calls
// (vfork: the memory is still the server's), and nothing of the server goes along: no descriptor but those named
// here, no environment, no signal mask, no handler, no user.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/unique_fd.h"

namespace braidlog::sandbox {

// The descriptors of the child, beside 0, which is /dev/null.
inline constexpr int kOutputFd = 1;  // and 2
inline constexpr int kCommandsFd = 3;
inline constexpr int kEventsFd = 4;
inline constexpr int kFilterFd = 5;  // holds `filter`, to its end

struct SpawnPlan {
  std::vector<std::string> argv;  // the first is the program's path
  std::vector<std::string> environment;
  std::vector<std::pair<int, rlim_t>> limits;  // RLIMIT_…, soft and hard
  std::optional<uid_t> user;                   // user and group to become; only root can
};

// The server's ends do not block.
struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;
  UniqueFd commands;  // write
  UniqueFd events;    // read
  UniqueFd output;    // read: what the child writes to stdout and stderr
};

// A program that cannot be started still gives a child, which says so on its output and ends with status 127. A program
// that asks the kernel to die with its parent dies with the thread that calls this: call it from one that stays.
Result<Spawned> spawn(const SpawnPlan& plan, std::string_view filter);

}  // namespace braidlog::sandbox
