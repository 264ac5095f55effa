// The process of an MCP server: lines in, lines out, its stderr always read, its end noticed, its group ended with it.
// Knows nothing of what the lines mean. Runs on: the MCP thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "net/io_thread.h"
#include "tool/mcp/line_reader.h"
#include "tool/mcp/spawn.h"

namespace braidlog::tool::mcp {

// How long a process has, after its stdin was closed, until SIGTERM, and from there until SIGKILL.
inline constexpr std::chrono::milliseconds kCloseGrace{1'000};
inline constexpr std::chrono::milliseconds kTermGrace{500};

class ProcessOwner {
 public:
  virtual ~ProcessOwner() = default;
  virtual void on_line(std::string_view line) = 0;
  virtual void on_oversize(std::string_view head, std::string_view tail) = 0;
  // It wrote to its stderr.
  virtual void on_words(std::string_view line) = 0;
  // It is gone, or will say nothing more; the last call. `how` is for the operator: "ended with status 1".
  virtual void on_gone(std::string how) = 0;
};

class Process : public std::enable_shared_from_this<Process> {
 public:
  struct Place {
    IoThread& loop;
    std::size_t line_bytes_max = 0;
  };
  // Begins to listen. `owner` hears of it until stop().
  static std::shared_ptr<Process> watch(Spawned spawned, ProcessOwner& owner, Place place);
  // Kills what is left of the group, and reaps the leader.
  ~Process();

  // A line without its end. False: it has not taken what it was sent before, and there is no room for more.
  [[nodiscard]] bool send(std::string_view line);

  // Ends it: its stdin is closed, then it is asked, then killed. The owner hears nothing more; `gone` is called once
  // it is reaped, not from inside this call.
  void stop(UniqueFunction<void()> gone);

  pid_t pid() const { return spawned_pid_; }

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

  Process(Spawned spawned, ProcessOwner& owner, Place place);
  void wait_output();
  void wait_errors();
  void wait_end();
  // False: it was closed.
  bool read_output();
  bool read_errors();
  void flush();
  void reap();
  void say_gone(std::string how);
  void signal_group(int number);

  ProcessOwner* owner_;
  IoThread& loop_;
  const pid_t spawned_pid_;
  Descriptor pidfd_, input_, output_, errors_;
  LineReader lines_, words_;
  const std::size_t unsent_bytes_max_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of unsent_
  bool writing_ = false;  // waits until the pipe takes more
  bool reaped_ = false;
  UniqueFunction<void()> gone_;
  Timer patience_;
};

}  // namespace braidlog::tool::mcp
