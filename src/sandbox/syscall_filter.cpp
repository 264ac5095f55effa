#include "sandbox/syscall_filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

#include "net/unique_fd.h"

namespace braidlog::sandbox {

namespace {

struct ReleaseFilter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter>;

// What Python and the C library need to compute, to have threads, to read the files that they see, and to keep files in
// their own folder. By name, because not every name exists on every architecture.
constexpr std::initializer_list<const char*> kAllowed = {
    // Memory.
    "brk", "madvise", "mmap", "mprotect", "mremap", "munmap",
    // Files by path.
    "access", "chdir", "chmod", "faccessat", "faccessat2", "fchmodat", "getcwd", "link", "linkat", "lstat", "mkdir",
    "mkdirat", "newfstatat", "open", "openat", "readlink", "readlinkat", "rename", "renameat", "renameat2", "rmdir",
    "stat", "statfs", "statx", "symlink", "symlinkat", "truncate", "umask", "unlink", "unlinkat", "utime", "utimensat",
    "utimes",
    // Files by descriptor.
    "close", "close_range", "dup", "dup2", "dup3", "fadvise64", "fallocate", "fchdir", "fchmod", "fdatasync", "flock",
    "fstat", "fstatfs", "fsync", "ftruncate", "getdents64", "lseek", "pipe", "pipe2", "pread64", "preadv", "pwrite64",
    "pwritev", "read", "readv", "write", "writev",
    // Waiting.
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2", "poll", "ppoll", "pselect6",
    "select",
    // Time.
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday", "nanosleep", "setitimer",
    "time", "times",
    // Threads and signals of this process. The numbers that tgkill takes are those of its own pid namespace, in which
    // there is nobody else.
    "arch_prctl", "exit", "exit_group", "get_robust_list", "gettid", "pause", "restart_syscall", "rseq", "rt_sigaction",
    "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sched_getaffinity",
    "sched_getparam", "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address", "sigaltstack",
    "tgkill", "tkill", "wait4", "waitid",
    // Who am I, and what is this.
    "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getppid", "getrandom",
    "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "getuid", "sysinfo", "uname",
    // The two ends of the socket pair inside asyncio; there is nothing that they could be connected to.
    "getpeername", "getsockname", "getsockopt", "shutdown"};

// Answered as an old kernel would: who calls these knows another way.
constexpr std::initializer_list<const char*> kUnknown = {"clone3",      "openat2",  "epoll_pwait2",
                                                         "futex_waitv", "sendfile", "copy_file_range"};

// Answered as a file system without them would.
constexpr std::initializer_list<const char*> kNotSupported = {"getxattr",  "lgetxattr",  "fgetxattr",
                                                              "listxattr", "llistxattr", "flistxattr"};

class Builder {
 public:
  explicit Builder(std::uint32_t otherwise) : filter_(seccomp_init(otherwise)) {
    ok_ = filter_ != nullptr;
    // Calls of another architecture have other numbers; nothing honest makes them.
    if (ok_) keep(seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
  }

  void add(std::uint32_t action, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const int number = number_of(name);
      if (ok_ && number >= 0) keep(seccomp_rule_add(filter_.get(), action, number, 0));
    }
  }
  // Only when the argument is so.
  void allow_when(const char* name, scmp_arg_cmp condition) {
    const int number = number_of(name);
    if (ok_ && number >= 0) keep(seccomp_rule_add_array(filter_.get(), SCMP_ACT_ALLOW, number, 1, &condition));
  }

  Result<std::string> program() {
    if (!ok_) return fail(ErrorCode::kInternal, "the system call filter could not be built");
    const UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file || seccomp_export_bpf(filter_.get(), file.get()) != 0) {
      return fail(ErrorCode::kInternal, "the system call filter could not be written");
    }
    std::string out(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    if (::pread(file.get(), out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) {
      return fail(ErrorCode::kInternal, "the system call filter could not be read back");
    }
    return out;
  }

 private:
  static int number_of(const char* name) { return seccomp_syscall_resolve_name(name); }
  void keep(int result) { ok_ = ok_ && result == 0; }

  Filter filter_;
  bool ok_ = false;
};

constexpr scmp_datum_t kThreadFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
constexpr scmp_datum_t kNewSpaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// The argument of that index is exactly this. All 64 bits: what the kernel would cut off is refused.
scmp_arg_cmp is(unsigned argument, scmp_datum_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}

// What all sandboxes may do, up to the program that bwrap becomes.
void allow_computing(Builder& filter) {
  filter.add(SCMP_ACT_ALLOW, kAllowed);
  filter.add(SCMP_ACT_ERRNO(ENOSYS), kUnknown);
  filter.add(SCMP_ACT_ERRNO(EOPNOTSUPP), kNotSupported);
  // A thread of this process; never another process, never a namespace.
  filter.allow_when("clone", {0, SCMP_CMP_MASKED_EQ, kThreadFlags | kNewSpaces, kThreadFlags});
  // What locks and conditions are made of, without those that inherit priorities.
  for (const auto operation : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
                               FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET}) {
    filter.allow_when("futex", {1, SCMP_CMP_MASKED_EQ, ~scmp_datum_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME},
                                static_cast<scmp_datum_t>(operation)});
  }
  // Its own limits, which it can only lower.
  filter.allow_when("prlimit64", is(0, 0));
  filter.allow_when("socketpair", is(0, AF_UNIX));
  // Without flags: MSG_OOB and its kin are a part of the kernel that nobody needs here.
  filter.allow_when("sendto", is(3, 0));
  filter.allow_when("recvfrom", is(3, 0));
  for (const auto request : {TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TIOCGWINSZ}) {
    filter.allow_when("ioctl", is(1, static_cast<scmp_datum_t>(request)));
  }
  for (const auto command :
       {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW}) {
    filter.allow_when("fcntl", is(1, static_cast<scmp_datum_t>(command)));
  }
  // For what comes next, and gone after inner_filter().
  filter.add(SCMP_ACT_ALLOW, {"execve"});
  filter.allow_when("prctl", is(0, PR_SET_SECCOMP));
}

}  // namespace

Result<std::string> outer_filter() {
  Builder filter(SCMP_ACT_ERRNO(EPERM));
  allow_computing(filter);
  return filter.program();
}

Result<std::string> outer_filter_with_processes() {
  Builder filter(SCMP_ACT_ERRNO(EPERM));
  allow_computing(filter);
  filter.add(SCMP_ACT_ALLOW, {"fork", "vfork", "kill"});
  // Processes and threads, but no namespace.
  filter.allow_when("clone", {0, SCMP_CMP_MASKED_EQ, kNewSpaces, 0});
  return filter.program();
}

Result<std::string> inner_filter() {
  Builder filter(SCMP_ACT_ALLOW);
  filter.add(SCMP_ACT_ERRNO(EPERM), {"execve", "execveat", "prctl", "seccomp", "setrlimit"});
  return filter.program();
}

}  // namespace braidlog::sandbox
