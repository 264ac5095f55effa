// One piece of code from its start to its end: what it printed and the time that it has left, as the server counts
// them. Knows no process; the process may say what it likes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "port/sandbox.h"
#include "sandbox/limit_words.h"
#include "sandbox/messages.h"

namespace braidlog::sandbox {

using Time = std::chrono::steady_clock::time_point;

// Why the server ended a process that runs code.
enum class StopReason {
  kNone,  // it ended by itself
  kTime,
  kOutput,
  kDisk,
  kProtocol,  // it spoke nonsense
};

class CodeRun {
 public:
  CodeRun(const Limits& limits, const LimitWords& words) : limits_(limits), words_(words) {}

  void begin(Time now);
  // While it waits for an answer the time stands still.
  void pause(Time now);
  void resume(Time now);
  bool waits() const { return waits_; }
  // When it has to be killed. A little after its time is over: the runner inside ends most code at that time by itself,
  // and with that its variables stay. None: it waits.
  std::optional<Time> kill_at() const;

  // False: it wrote more than an honest runner would let through. Kill it.
  [[nodiscard]] bool add_output(std::string_view bytes);

  CodeOutcome ended(RunnerMessage message);
  // The process is gone; `status` is how it ended.
  CodeOutcome stopped(StopReason reason, int status);

 private:
  std::string printed();

  const Limits& limits_;
  const LimitWords& words_;
  std::string output_;            // at most one byte more than is allowed
  std::size_t output_bytes_ = 0;  // all that came
  std::chrono::steady_clock::duration used_{};
  Time since_{};
  bool waits_ = false;
};

}  // namespace braidlog::sandbox
