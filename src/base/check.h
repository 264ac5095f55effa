// CHECK stops the process when an invariant of ours is broken, in release builds too. Never use it on
// anything that comes from outside: a peer, a file, a user or a provider can only cause an Error.
#pragma once

namespace braidlog {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace braidlog

#define BRAIDLOG_CHECK(condition) \
  (__builtin_expect(!!(condition), 1) ? (void)0 : ::braidlog::check_failed(#condition, __FILE_NAME__, __LINE__))
