#include "net/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace braidlog {

namespace {

constexpr int kLowestFd = 10;

}  // namespace

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const UniqueFd read(ends[0]);
  const UniqueFd write(ends[1]);
  Pipe pipe{UniqueFd(::fcntl(read.get(), F_DUPFD_CLOEXEC, kLowestFd)),
            UniqueFd(::fcntl(write.get(), F_DUPFD_CLOEXEC, kLowestFd))};
  if (!pipe.read || !pipe.write) return std::nullopt;
  return pipe;
}

void make_nonblocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void restore_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    (void)::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

pid_t vfork_child(void (*run_child)(void* child), void* child) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  const pid_t pid = ::vfork();
#pragma clang diagnostic pop
  if (pid == 0) {
    run_child(child);
    ::_exit(127);
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace braidlog
