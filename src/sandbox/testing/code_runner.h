// Runs code in a real sandbox and waits for its end: what a run does on its io thread, one call after the other.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "net/io_thread.h"
#include "sandbox/python_sandbox.h"

namespace braidlog::sandbox::testing {

inline Limits small_limits() {
  Limits limits;
  limits.code_time_max = std::chrono::milliseconds(10'000);  // the machine may be busy; tests of time take less
  limits.code_memory_bytes_max = 256 * 1024 * 1024;
  limits.code_output_bytes_max = 8 * 1024;
  limits.code_disk_bytes_max = 4 * 1024 * 1024;
  limits.sandboxes_max = 3;
  limits.sandboxes_ready = 1;
  return limits;
}

// One session, driven from the test's thread.
class CodeRunner final : public CodeSink {
 public:
  using Answer = std::function<CodeAnswer(const std::string& name, const json::object& args)>;

  CodeRunner(PythonSandbox& sandbox, IoThread& loop, std::vector<CodeFunction> functions = {}) : loop_(loop) {
    loop_.run_and_wait([&] { session_ = sandbox.open(std::move(functions), *this, loop_); });
  }
  ~CodeRunner() override { close(); }

  // Runs the code to its end; calls are answered by `answer`.
  CodeOutcome run(std::string code) {
    begin(std::move(code));
    return wait_for_end();
  }
  void begin(std::string code) {
    loop_.run_and_wait([&] {
      outcome_.reset();
      waits_ = false;
      session_->run(std::move(code));
    });
  }
  CodeOutcome wait_for_end() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return outcome_.has_value(); })) {
      ADD_FAILURE() << "the code never ended";
      return {};
    }
    return *outcome_;
  }
  bool wait_for_call() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waits_; });
  }
  void give(CodeAnswer given) {
    loop_.run_and_wait([&] {
      waits_ = false;
      session_->answer(std::move(given));
    });
  }
  void close() {
    loop_.run_and_wait([&] { session_.reset(); });
  }

  Answer answer;  // none: calls wait for give()
  std::vector<std::pair<std::string, json::object>> calls;

 private:
  void on_code_call(std::string_view name, json::object args) override {
    std::unique_lock lock(mutex_);
    calls.emplace_back(name, args);
    if (answer) {
      session_->answer(answer(calls.back().first, args));
    } else {
      waits_ = true;
      changed_.notify_all();
    }
  }
  void on_code_done(CodeOutcome outcome) override {
    std::unique_lock lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }

  IoThread& loop_;
  std::unique_ptr<CodeSession> session_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<CodeOutcome> outcome_;
  bool waits_ = false;
};

class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() : loop(0, clock) { loop.start(); }

  // With the limits as the test left them.
  PythonSandbox& sandbox() {
    if (!sandbox_) sandbox_ = std::make_unique<PythonSandbox>(limits, options);
    return *sandbox_;
  }
  std::unique_ptr<CodeRunner> open(std::vector<CodeFunction> functions = {}) {
    return std::make_unique<CodeRunner>(sandbox(), loop, std::move(functions));
  }

  SystemClock clock;
  Limits limits = small_limits();
  ProgramOptions options;
  IoThread loop;

 private:
  std::unique_ptr<PythonSandbox> sandbox_;  // before the loop: its last posts find one
};

}  // namespace braidlog::sandbox::testing
