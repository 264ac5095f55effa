#include "tool/mcp/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "net/child_process.h"

namespace braidlog::tool::mcp {

namespace {

constexpr std::string_view kPathDefault = "/usr/local/bin:/usr/bin:/bin";

bool is_program(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// By the child's own PATH, which a test or an operator may have set to another than ours.
std::optional<std::string> find_program(const SpawnPlan& plan) {
  const std::string& name = plan.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = kPathDefault;
  for (const auto& variable : plan.environment) {
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  }
  while (!path.empty()) {
    const auto end = path.find(':');
    const auto folder = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
    if (!folder.starts_with('/')) continue;  // "here" is another place for every agent file
    auto candidate = std::string(folder) + "/" + name;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

// Everything that the child needs, laid out before the fork: the child itself allocates nothing.
struct Child {
  const char* program = nullptr;
  const char* folder = nullptr;  // null: here
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::array<int, 3> sources{};  // for the descriptors 0..2
  pid_t parent = -1;
  volatile int error = 0;  // why the program was not started; the memory is shared until it is
};

void run_child(void* data) {
  Child& child = *static_cast<Child*>(data);
  // A server that is killed can close nobody's stdin with a grace; whoever ignores that end dies with it.
  const bool tied = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == child.parent;
  bool ready = tied && ::setpgid(0, 0) == 0;  // a group that can be ended as a whole
  for (int target = 0; ready && target < 3; ++target) {
    ready = ::dup2(child.sources[static_cast<std::size_t>(target)], target) == target;
  }
  ready = ready && ::close_range(3, ~0U, 0) == 0 && (child.folder == nullptr || ::chdir(child.folder) == 0);
  if (ready) {
    restore_signals();
    ::execve(child.program, child.argv.data(), child.environment.data());
  }
  child.error = errno;
  ::_exit(127);
}

}  // namespace

Result<Spawned> spawn(const SpawnPlan& plan) {
  const auto program = find_program(plan);
  if (!program) return fail(ErrorCode::kToolFailed, "there is no program \"" + plan.argv.front() + "\" in the PATH");
  auto input = make_pipe();
  auto output = make_pipe();
  auto errors = make_pipe();
  if (!input || !output || !errors) return fail(ErrorCode::kToolFailed, "no descriptors left for another program");

  Child child;
  child.program = program->c_str();
  child.folder = plan.folder.empty() ? nullptr : plan.folder.c_str();
  child.argv = pointers_to(plan.argv);
  child.environment = pointers_to(plan.environment);
  child.sources = {input->read.get(), output->write.get(), errors->write.get()};
  child.parent = ::getpid();
  Spawned out;
  out.pid = vfork_child(run_child, &child);
  if (out.pid < 0) child.error = errno;
  if (const int error = child.error; error != 0) {
    if (out.pid > 0) ::waitpid(out.pid, nullptr, 0);
    return fail(ErrorCode::kToolFailed, "cannot be started: " + std::string(::strerror(error)));
  }
  out.pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, out.pid, 0)));
  if (!out.pidfd) {
    ::kill(-out.pid, SIGKILL);
    ::waitpid(out.pid, nullptr, 0);
    return fail(ErrorCode::kToolFailed, "no descriptors left for another program");
  }
  out.input = std::move(input->write);
  out.output = std::move(output->read);
  out.errors = std::move(errors->read);
  for (const auto* fd : {&out.input, &out.output, &out.errors}) make_nonblocking(*fd);
  return out;
}

}  // namespace braidlog::tool::mcp
