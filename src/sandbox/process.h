// One sandbox as a process: its pipes, its stops and its end. Knows nothing of sessions and of what frames mean. Runs
// on: the sandbox thread.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "net/unique_fd.h"
#include "sandbox/messages.h"
#include "sandbox/spawn.h"

namespace braidlog::sandbox {

class Process;

// Takes what a process does. None of these may destroy it; forget it after handle() has returned.
class ProcessOwner {
 public:
  virtual ~ProcessOwner() = default;
  virtual void on_frame(Process& process, std::string frame) = 0;
  virtual void on_output(Process& process, std::string_view bytes) = 0;
  // It closed the pipe of its frames: it ends, or it means never to speak again.
  virtual void on_silent(Process& process) = 0;
  // It announced a frame larger than any may be; nothing after that can be read.
  virtual void on_nonsense(Process& process) = 0;
  // It is gone and reaped. `status` is its exit status, 128 + N when signal N ended it.
  virtual void on_gone(Process& process, int status) = 0;
};

class Process {
 public:
  // `key` is how epoll names it: every event has key + one of Source.
  enum Source : std::uint64_t { kEvents = 0, kOutput = 1, kCommands = 2, kEnd = 3, kSources = 4 };

  Process(Spawned spawned, ProcessOwner& owner, int epoll_fd, std::uint64_t key, std::size_t frame_bytes_max);
  // Kills it, if it lives, without waiting for the end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void handle(Source source);

  // Whole frames. What the pipe does not take now goes when it does.
  void send(std::string frames);
  // Reads all that was printed so far.
  void drain_output();

  // Learns which process is Python, or is about to be: the one child of bubblewrap. False: there is none.
  [[nodiscard]] bool find_python();
  // Its home can be looked at from here, to count what is in it.
  bool home_is_seen() const { return static_cast<bool>(home_); }
  // Stops Python and all its threads where they are, and lets them go on. Who waits for an answer or has nothing to do
  // uses no CPU, whatever threads it left behind.
  void freeze() { signal_python(SIGSTOP); }
  void thaw() { signal_python(SIGCONT); }
  // Python alone: bubblewrap then reaps it and ends by itself, so that nobody is left to a parent who would not reap.
  // Before there is one, bubblewrap only loses its pipe, and what it builds ends when it looks for its program: a
  // bubblewrap that is killed while it builds leaves a child behind who waits for it forever.
  void kill();
  // Bubblewrap too, when it did not end.
  void kill_all();

  // Files and folders in its home, and their bytes; 0 when that cannot be seen.
  std::uint64_t files_in_home() const;
  std::uint64_t bytes_in_home() const;
  // What Python and all processes below it have in memory that they share with nobody. Programs that they map are not
  // counted.
  std::uint64_t memory_bytes() const;

  std::uint64_t key() const { return key_; }
  pid_t pid() const { return spawned_.pid; }
  bool gone() const { return gone_; }

 private:
  void read_events();
  void read_output(int reads_max);
  void flush();
  void reap();
  void watch(const UniqueFd& fd, Source source, std::uint32_t events);
  void forget(UniqueFd& fd);
  void signal_python(int number);

  Spawned spawned_;
  ProcessOwner& owner_;
  const int epoll_fd_;
  const std::uint64_t key_;
  FrameReader frames_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of `unsent_`, which may be a whole file: it is not moved for every pipe that was filled
  pid_t python_pid_ = -1;
  UniqueFd python_;  // pidfd
  UniqueFd home_;
  bool watching_commands_ = false;
  bool gone_ = false;
};

}  // namespace braidlog::sandbox
