// What a sandbox is closed off with: the command line of bubblewrap, the limits of the kernel, and the user that it
// runs as. README.md of this folder draws the whole of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/limits.h"
#include "sandbox/program_options.h"
#include "sandbox/spawn.h"

namespace braidlog::sandbox {

inline constexpr std::size_t kOpenFilesMax = 64;
inline constexpr std::size_t kFilesMax = 4'096;  // in the folder: a file costs memory also when it is empty
inline constexpr const char* kHome = "/home/agent";

struct Programs {
  std::string bwrap;   // a path
  std::string python;  // a path below /usr, which is all that a sandbox sees
  std::chrono::milliseconds start_time_max{};
};

// Where those are that are not named: `bwrap` by PATH, python3 in /usr/bin before PATH. Names that are not found stay
// as they are, and missing_program() tells.
Programs find_programs(const ProgramOptions& options);

// What to tell an operator when one of them is not there, or not where it has to be.
std::optional<std::string> missing_program(const Programs& programs);

// How much room there is inside.
struct Room {
  std::size_t memory_bytes_max = 0;  // address space of each process
  std::size_t disk_bytes_max = 0;    // of the folder, which is memory too
};

// How to start a sandbox with that room and the number of its user.
SpawnPlan plan_of(const Programs& programs, const Room& room, unsigned number);

// How to start the sandbox for code with this number, 0..sandboxes_max-1. When the server is root, each number has a
// user of its own, who owns nothing on the host; else the sandbox is of the server's user, in a user namespace.
SpawnPlan plan_of(const Programs& programs, const Limits& limits, unsigned number);

}  // namespace braidlog::sandbox
