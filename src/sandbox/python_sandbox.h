// The sandbox for agents' code: a python3 per run, behind bubblewrap, a system call filter and the kernel's limits
// (README.md says what each of them keeps away). Some processes are started ahead, so that code does not wait for
// Python; one thread looks after all of them.
//
// On a host where that cannot be built, nothing runs: every code is answered with `unavailable` and what to change, and
// every few seconds the next code is reason to try again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "port/sandbox.h"
#include "sandbox/program_options.h"

namespace braidlog::sandbox {

class SandboxThread;

class PythonSandbox final : public Sandbox {
 public:
  // Starts nothing yet. `limits` outlives it.
  explicit PythonSandbox(const Limits& limits, ProgramOptions options = {});
  // Kills and reaps all processes. Its sessions are gone by then.
  ~PythonSandbox() override;

  // Begins to keep `sandboxes_ready` processes ready, in the background, and logs when that is not possible. Call it
  // once there is an agent that writes code. Without it the first code of a run waits for Python to start.
  void start();

  // Why no code can run on this host, in a line that tells an operator what to do; none: it can. Waits for the first
  // process to be ready, some 50 ms, and starts it if nobody did. Not from an io thread.
  [[nodiscard]] std::optional<std::string> problem();

  [[nodiscard]] std::unique_ptr<CodeSession> open(std::vector<CodeFunction> functions, CodeSink& sink,
                                                  Loop& loop) override;

 private:
  SandboxThread& thread();

  const Limits& limits_;
  const ProgramOptions options_;
  std::once_flag begun_;
  std::unique_ptr<SandboxThread> thread_;  // made with the first use
  std::atomic<std::uint64_t> next_session_{1};
};

}  // namespace braidlog::sandbox
