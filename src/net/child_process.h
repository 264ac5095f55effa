// What starting a program from a large server takes: sandboxes and MCP servers begin with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "net/unique_fd.h"

namespace braidlog {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};
// Both ends are closed by an exec, and have numbers above those that a child is given its own under: one below them
// would be overwritten before it is put in its place. None: no descriptors left.
std::optional<Pipe> make_pipe();
void make_nonblocking(const UniqueFd& fd);

// As exec takes them: they point into `texts`.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

// Signals as a program expects to find them: what the server ignores or blocks would be inherited. For the child.
void restore_signals();

// vfork() and not fork(): copying the page tables of a large server takes milliseconds. The child runs on the server's
// memory, with all signals blocked, since a handler would run there too: `run_child` does system calls alone,
// allocates nothing and never returns. -1 and errno when there is no child.
pid_t vfork_child(void (*run_child)(void* child), void* child);

}  // namespace braidlog
