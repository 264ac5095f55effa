#include "sandbox/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "net/child_process.h"

namespace braidlog::sandbox {

namespace {

constexpr int kNiceness = 5;  // the server comes first

// Everything that the child needs, laid out before the fork: the child itself allocates nothing.
struct Child {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const SpawnPlan* plan = nullptr;
  std::array<int, 6> sources{};  // for the descriptors 0..5
};

[[noreturn]] void give_up(const char* what) {
  // Into the output, where the server looks when a child ends before it is ready.
  (void)!::write(2, what, strlen(what));
  ::_exit(127);
}

void place_descriptors(std::array<int, 6> sources) {
  // First out of the way: a source may have the number of another one's place.
  for (auto& source : sources) source = ::fcntl(source, F_DUPFD, 10);
  for (int target = 0; target < 6; ++target) {
    if (::dup2(sources[static_cast<std::size_t>(target)], target) < 0) ::_exit(127);
  }
  if (::close_range(6, ~0U, 0) != 0) give_up("close_range failed; Linux 5.9 or newer is needed\n");
}

// The first who dies when memory runs out; the server is the last who should.
void offer_to_oom_killer() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!::write(file, "1000", 4);
  ::close(file);
}

// The raw calls: those of the C library would change the user of all threads of the server, whose memory this is.
void become_user(uid_t user) {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::syscall(SYS_setresgid, user, user, user) != 0 ||
      ::syscall(SYS_setresuid, user, user, user) != 0) {
    give_up("the server is root but may not become another user (CAP_SETUID, CAP_SETGID)\n");
  }
}

void run_child(void* data) {
  const Child& child = *static_cast<const Child*>(data);
  if (::setpgid(0, 0) != 0) ::_exit(127);  // a group of its own, which ends with it: Process::reap()
  place_descriptors(child.sources);
  restore_signals();
  offer_to_oom_killer();
  (void)::setpriority(PRIO_PROCESS, 0, kNiceness);
  for (const auto& [what, value] : child.plan->limits) {
    const rlimit limit{value, value};
    if (::setrlimit(static_cast<__rlimit_resource>(what), &limit) != 0) give_up("a limit could not be set\n");
  }
  if (child.plan->user) become_user(*child.plan->user);
  if (::chdir("/") != 0) ::_exit(127);
  ::execve(child.argv[0], child.argv.data(), child.environment.data());
  give_up("the program could not be started\n");
}

}  // namespace

Result<Spawned> spawn(const SpawnPlan& plan, std::string_view filter) {
  auto commands = make_pipe();
  auto events = make_pipe();
  auto output = make_pipe();
  auto filter_pipe = make_pipe();
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!commands || !events || !output || !filter_pipe || !null) {
    return fail(ErrorCode::kInternal, "no descriptors for another sandbox");
  }
  // A pipe takes 64 KiB without a reader; a filter has a few.
  if (::write(filter_pipe->write.get(), filter.data(), filter.size()) != static_cast<ssize_t>(filter.size())) {
    return fail(ErrorCode::kInternal, "the system call filter does not fit a pipe");
  }
  filter_pipe->write.reset();

  Child child{.argv = pointers_to(plan.argv),
              .environment = pointers_to(plan.environment),
              .plan = &plan,
              .sources = {null.get(), output->write.get(), output->write.get(), commands->read.get(),
                          events->write.get(), filter_pipe->read.get()}};
  Spawned out;
  out.pid = vfork_child(run_child, &child);
  if (out.pid < 0) return fail(ErrorCode::kInternal, std::string("no process for a sandbox: ") + strerror(errno));
  out.pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, out.pid, 0)));
  if (!out.pidfd) {
    ::kill(out.pid, SIGKILL);
    ::waitpid(out.pid, nullptr, 0);
    return fail(ErrorCode::kInternal, "pidfd_open failed; Linux 5.9 or newer is needed");
  }
  out.commands = std::move(commands->write);
  out.events = std::move(events->read);
  out.output = std::move(output->read);
  for (const auto* fd : {&out.commands, &out.events, &out.output}) make_nonblocking(*fd);
  return out;
}

}  // namespace braidlog::sandbox
