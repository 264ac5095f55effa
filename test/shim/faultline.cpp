// Stands between the server and the C library: every call that writes, syncs, truncates, renames, opens, sends or
// accepts is counted against the test's rules (control.h), and may fail or be the process's last.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "control.h"

namespace {

using namespace faultline;

// The function that this one stands in front of.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

template <class Real>
auto struck(Strike strike, Real real) -> decltype(real()) {
  if (strike.action == Action::kFail) {
    errno = strike.error;
    return -1;
  }
  if (strike.action == Action::kKillBefore || strike.action == Action::kKillWithin) die();
  const auto result = real();
  if (strike.action == Action::kKillAfter) die();
  return result;
}

// `real(size)` writes the first `size` bytes.
template <class Real>
ssize_t struck_write(Strike strike, std::size_t size, Real real) {
  if (strike.action == Action::kKillWithin) {
    (void)real(size / 2);
    die();
  }
  return struck(strike, [&] { return real(size); });
}

int struck_rename(int from_folder, const char* from, int to_folder, const char* to, auto real) {
  return struck(judge_path(kRename, to_folder, to), [&] {
    const int result = real();
    if (result == 0) note_effect(from_folder, from, to_folder, to);
    return result;
  });
}

// The mode is there only when a file may be made.
mode_t mode_from(int flags, std::va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

#define FAULTLINE_NEXT(name) static auto* const real = next<decltype(::name)>(#name)
#define FAULTLINE_MODE(flags)                      \
  std::va_list arguments;                          \
  va_start(arguments, flags);                      \
  const mode_t mode = mode_from(flags, arguments); \
  va_end(arguments)

extern "C" {

// ---- files ----

ssize_t write(int fd, const void* bytes, std::size_t size) {
  FAULTLINE_NEXT(write);
  return struck_write(judge_descriptor(kWrite, fd), size, [&](std::size_t part) { return real(fd, bytes, part); });
}

ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t at) {
  FAULTLINE_NEXT(pwrite);
  return struck_write(judge_descriptor(kWrite, fd), size, [&](std::size_t part) { return real(fd, bytes, part, at); });
}

ssize_t pwrite64(int fd, const void* bytes, std::size_t size, off64_t at) {
  FAULTLINE_NEXT(pwrite64);
  return struck_write(judge_descriptor(kWrite, fd), size, [&](std::size_t part) { return real(fd, bytes, part, at); });
}

int fsync(int fd) {
  FAULTLINE_NEXT(fsync);
  return struck(judge_descriptor(kSync, fd), [&] { return real(fd); });
}

int fdatasync(int fd) {
  FAULTLINE_NEXT(fdatasync);
  return struck(judge_descriptor(kSync, fd), [&] { return real(fd); });
}

int ftruncate(int fd, off_t size) noexcept {
  FAULTLINE_NEXT(ftruncate);
  return struck(judge_descriptor(kTruncate, fd), [&] { return real(fd, size); });
}

int ftruncate64(int fd, off64_t size) noexcept {
  FAULTLINE_NEXT(ftruncate64);
  return struck(judge_descriptor(kTruncate, fd), [&] { return real(fd, size); });
}

int rename(const char* from, const char* to) noexcept {
  FAULTLINE_NEXT(rename);
  return struck_rename(AT_FDCWD, from, AT_FDCWD, to, [&] { return real(from, to); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  FAULTLINE_NEXT(renameat);
  return struck_rename(from_folder, from, to_folder, to, [&] { return real(from_folder, from, to_folder, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  FAULTLINE_NEXT(renameat2);
  return struck_rename(from_folder, from, to_folder, to, [&] { return real(from_folder, from, to_folder, to, flags); });
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  FAULTLINE_NEXT(mkdirat);
  return struck(judge_path(kMakeFolder, folder, path), [&] { return real(folder, path, mode); });
}

int open(const char* path, int flags, ...) {
  FAULTLINE_NEXT(open);
  FAULTLINE_MODE(flags);
  return struck(judge_path(kOpen, AT_FDCWD, path), [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  FAULTLINE_NEXT(open64);
  FAULTLINE_MODE(flags);
  return struck(judge_path(kOpen, AT_FDCWD, path), [&] { return real(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {
  FAULTLINE_NEXT(openat);
  FAULTLINE_MODE(flags);
  return struck(judge_path(kOpen, folder, path), [&] { return real(folder, path, flags, mode); });
}

// The C library has no openat2(), so this is how a program calls it.
long syscall(long number, ...) noexcept {
  FAULTLINE_NEXT(syscall);
  std::va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& argument : a) argument = va_arg(arguments, long);
  va_end(arguments);
  const auto call = [&] { return real(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
  if (number != SYS_openat2) return call();
  return struck(judge_path(kOpen, static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1])), call);
}

// ---- connections ----

ssize_t send(int fd, const void* bytes, std::size_t size, int flags) {
  FAULTLINE_NEXT(send);
  return struck_write(judge_wire(kSend), size, [&](std::size_t part) { return real(fd, bytes, part, flags); });
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  FAULTLINE_NEXT(sendmsg);
  const Strike strike = judge_wire(kSend);
  if (strike.action == Action::kKillWithin && message->msg_iovlen > 0) {
    // Half of the first piece reaches the client.
    iovec part = message->msg_iov[0];
    part.iov_len /= 2;
    msghdr half{};
    half.msg_iov = &part;
    half.msg_iovlen = 1;
    (void)real(fd, &half, flags);
    die();
  }
  return struck(strike, [&] { return real(fd, message, flags); });
}

int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  FAULTLINE_NEXT(accept4);
  return struck(judge_wire(kAccept), [&] { return real(fd, address, size, flags); });
}

}  // extern "C"
