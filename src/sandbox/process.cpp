#include "sandbox/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/check.h"
#include "base/release_memory.h"
#include "sandbox/walls.h"

namespace braidlog::sandbox {

namespace {

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // pid (name) state parent …; the name may hold anything.
  const auto after = stat.rfind(')');
  if (after == std::string::npos || after + 4 >= stat.size()) return -1;
  pid_t parent = -1;
  std::from_chars(stat.data() + after + 4, stat.data() + stat.size(), parent);
  return parent;
}

// For a kernel without lists of children.
pid_t look_for_child_of(pid_t parent) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = -1;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid > 0 && parent_of(pid) == parent) return pid;
  }
  return -1;
}

// Bubblewrap would tell this by --info-fd as well, but between the moments in which it asks to die with us and in which
// it lets its child go on; whoever kills the server right there leaves that child waiting forever.
pid_t child_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
  if (!file) return look_for_child_of(parent);
  pid_t child = -1;
  return file >> child ? child : -1;
}

// What it has of memory that no file stands behind, shared with others or not.
std::uint64_t own_bytes_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::uint64_t kilobytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("RssAnon:") && !line.starts_with("RssShmem:")) continue;
    kilobytes += std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10);
  }
  return kilobytes * 1024;
}

// Of a process and all below it, whichever of its threads started them. Their number is limited by the walls, and so is
// the depth here: numbers may be given to others while this looks.
std::uint64_t own_bytes_of_tree(pid_t pid, int depth_max) {
  std::uint64_t sum = own_bytes_of(pid);
  if (depth_max == 0) return sum;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(task.path() / "children");
    pid_t child = -1;
    while (file >> child) sum += own_bytes_of_tree(child, depth_max - 1);
  }
  return sum;
}

bool send_signal(const UniqueFd& pidfd, int number) {
  return pidfd && ::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0) == 0;
}

}  // namespace

Process::Process(Spawned spawned, ProcessOwner& owner, int epoll_fd, std::uint64_t key, std::size_t frame_bytes_max)
    : spawned_(std::move(spawned)), owner_(owner), epoll_fd_(epoll_fd), key_(key), frames_(frame_bytes_max) {
  watch(spawned_.events, kEvents, EPOLLIN);
  watch(spawned_.output, kOutput, EPOLLIN);
  watch(spawned_.pidfd, kEnd, EPOLLIN);
}

Process::~Process() {
  if (!gone_) kill_all();
}

void Process::handle(Source source) {
  switch (source) {
    case kEvents: return read_events();
    case kOutput: return read_output(16);
    case kCommands: return flush();
    case kEnd: return reap();
    case kSources: break;
  }
  BRAIDLOG_CHECK(false);
}

void Process::send(std::string frames) {
  if (unsent_.empty()) {
    unsent_ = std::move(frames);
  } else {
    unsent_ += frames;
  }
  flush();
}

void Process::drain_output() {
  // More than a runner that keeps to its limit can have written; of another one this is enough to notice.
  read_output(64);
}

bool Process::find_python() {
  const pid_t pid = child_of(spawned_.pid);
  if (pid <= 0) return false;
  python_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Once the descriptor is there, the number cannot come to mean another process: if that one's parent is ours, it is
  // the right one.
  if (!python_ || parent_of(pid) != spawned_.pid) {
    python_.reset();
    return false;
  }
  python_pid_ = pid;
  const std::string home = "/proc/" + std::to_string(pid) + "/root" + kHome;
  home_ = UniqueFd(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return true;
}

void Process::kill() {
  if (python_ || find_python()) {
    send_signal(python_, SIGKILL);
  } else {
    forget(spawned_.commands);
  }
}

void Process::kill_all() {
  send_signal(python_, SIGKILL);
  ::kill(-spawned_.pid, SIGKILL);  // its group: what it builds too
}

std::uint64_t Process::files_in_home() const {
  struct statfs found {};
  if (!home_ || ::fstatfs(home_.get(), &found) != 0) return 0;
  return found.f_files - found.f_ffree;
}

std::uint64_t Process::bytes_in_home() const {
  struct statfs found {};
  if (!home_ || ::fstatfs(home_.get(), &found) != 0) return 0;
  return (found.f_blocks - found.f_bfree) * static_cast<std::uint64_t>(found.f_bsize);
}

std::uint64_t Process::memory_bytes() const {
  constexpr int kDepthMax = 4;
  return python_ ? own_bytes_of_tree(python_pid_, kDepthMax) : 0;
}

void Process::read_events() {
  std::array<char, 64 * 1024> buffer;
  while (spawned_.events) {
    const auto size = ::read(spawned_.events.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      forget(spawned_.events);
      if (!gone_) owner_.on_silent(*this);
      return;
    }
    frames_.append({buffer.data(), static_cast<std::size_t>(size)});
    while (auto frame = frames_.next()) owner_.on_frame(*this, std::move(*frame));
    if (frames_.broken()) {
      forget(spawned_.events);
      return owner_.on_nonsense(*this);
    }
  }
}

void Process::read_output(int reads_max) {
  std::array<char, 64 * 1024> buffer;
  for (int i = 0; i < reads_max && spawned_.output; ++i) {
    const auto size = ::read(spawned_.output.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    // Code may close its stdout; then it prints no more, and that is all.
    if (size <= 0) return forget(spawned_.output);
    owner_.on_output(*this, {buffer.data(), static_cast<std::size_t>(size)});
  }
}

void Process::flush() {
  while (!unsent_.empty() && spawned_.commands) {
    const auto size = ::write(spawned_.commands.get(), unsent_.data() + sent_, unsent_.size() - sent_);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      if (!watching_commands_) watch(spawned_.commands, kCommands, EPOLLOUT);
      watching_commands_ = true;
      return;
    }
    if (size < 0) {  // nobody reads: its end will say why
      release_memory(unsent_);
      sent_ = 0;
      return forget(spawned_.commands);
    }
    sent_ += static_cast<std::size_t>(size);
    if (sent_ < unsent_.size()) continue;
    release_memory(unsent_);
    sent_ = 0;
  }
  if (watching_commands_ && spawned_.commands) {
    ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, spawned_.commands.get(), nullptr);
    watching_commands_ = false;
  }
}

void Process::reap() {
  const auto wait = [&](siginfo_t& info, int options) {
    const auto pidfd = static_cast<id_t>(spawned_.pidfd.get());
    return ::waitid(P_PIDFD, pidfd, &info, WEXITED | WNOHANG | options) == 0 && info.si_pid != 0;
  };
  siginfo_t info{};
  if (gone_ || !wait(info, WNOWAIT)) return;
  // A bubblewrap that somebody killed while it built may have a child, still of its group, that waits for it forever.
  // Until the leader is reaped nobody else can have its number.
  ::kill(-spawned_.pid, SIGKILL);
  if (!wait(info, 0)) return;
  gone_ = true;
  // What it wrote before its end is still in the pipes.
  read_output(64);
  read_events();
  for (auto* fd : {&spawned_.events, &spawned_.output, &spawned_.commands, &spawned_.pidfd}) forget(*fd);
  owner_.on_gone(*this, info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status);
}

void Process::watch(const UniqueFd& fd, Source source, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key_ + source;
  BRAIDLOG_CHECK(::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd.get(), &event) == 0);
}

void Process::forget(UniqueFd& fd) {
  // Closing alone would do, but only while nobody else has the same pipe open.
  if (fd) ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd.get(), nullptr);
  fd.reset();
}

void Process::signal_python(int number) {
  send_signal(python_, number);
}

}  // namespace braidlog::sandbox
