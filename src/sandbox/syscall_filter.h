// Which system calls a sandbox may make, as programs for the kernel (seccomp). An allow-list: what is not named is
// refused with EPERM, so a call that a later kernel brings is refused too.
#pragma once

#include <string>

#include "base/result.h"

namespace braidlog::sandbox {

// For bwrap, which hands it to the kernel as the last thing before it becomes Python. It still has to let that happen:
// execve is in it.
Result<std::string> outer_filter();

// The same for a reader of files that has to call other programs: it may also start processes, which is to say only
// inside of its walls, and end them.
Result<std::string> outer_filter_with_processes();

// For the runner, which adds it before it takes code: no exec, and no other filter.
Result<std::string> inner_filter();

}  // namespace braidlog::sandbox
