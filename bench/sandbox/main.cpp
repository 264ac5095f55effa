// What a piece of code costs: in a sandbox that waits ready, in one that has run code before, in one that has to be
// started, and in plain `python3 -c` for comparison. Prints one line each, in milliseconds. Run it as root and as an
// ordinary user; the numbers in bench/README.md are from both.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/io_thread.h"
#include "sandbox/python_sandbox.h"

namespace {

using namespace braidlog;
using Clock = std::chrono::steady_clock;

constexpr const char* kCode = "total = sum(i * i for i in range(1000))\nprint(total)";

// One run's sandbox, used from the main thread.
class Session final : public CodeSink {
 public:
  Session(Sandbox& sandbox, IoThread& loop) : loop_(loop) {
    std::vector<CodeFunction> functions{{"echo", "", R"({"type":"object","properties":{"x":{}}})"}};
    loop_.run_and_wait([&] { session_ = sandbox.open(std::move(functions), *this, loop_); });
  }
  ~Session() override {
    loop_.run_and_wait([&] { session_.reset(); });
  }

  void run(const std::string& code) {
    outcome_.reset();
    loop_.post([this, code] { session_->run(code); });
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return outcome_.has_value(); });
    if (!outcome_->error) return;
    std::fprintf(stderr, "%s\n", outcome_->error->c_str());
    std::exit(1);
  }

 private:
  void on_code_call(std::string_view, json::object args) override { session_->answer({args.at("x")}); }
  void on_code_done(CodeOutcome outcome) override {
    std::unique_lock lock(mutex_);
    outcome_ = std::move(outcome);
    ended_.notify_all();
  }

  IoThread& loop_;
  std::unique_ptr<CodeSession> session_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<CodeOutcome> outcome_;
};

double milliseconds_of(const std::function<void()>& work) {
  const auto begun = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

void report(const char* what, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::printf("%-44s median %7.2f ms   least %7.2f   greatest %7.2f   of %zu\n", what, values[values.size() / 2],
              values.front(), values.back(), values.size());
}

void run_plain_python() {
  const std::string code = kCode;
  char* argv[] = {const_cast<char*>("/usr/bin/python3"), const_cast<char*>("-c"), const_cast<char*>(code.c_str()),
                  nullptr};
  char* environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  pid_t pid = -1;
  if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv, environment) == 0) ::waitpid(pid, nullptr, 0);
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  SystemClock clock;
  IoThread loop(0, clock);
  loop.start();
  Limits limits;
  sandbox::PythonSandbox warm(limits);
  if (const auto problem = warm.problem()) {
    std::fprintf(stderr, "no sandbox: %s\n", problem->c_str());
    return 1;
  }

  std::vector<double> plain, first, later, calls, cold;
  for (int i = 0; i < rounds; ++i) plain.push_back(milliseconds_of(run_plain_python));
  for (int i = 0; i < rounds; ++i) {
    Session session(warm, loop);
    // A run's first code comes after a model's answer; by then the pool has refilled.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    first.push_back(milliseconds_of([&] { session.run(kCode); }));
    later.push_back(milliseconds_of([&] { session.run(kCode); }));
    calls.push_back(milliseconds_of([&] { session.run("for i in range(100): echo(i)"); }) / 100);
  }
  limits.sandboxes_ready = 0;
  for (int i = 0; i < rounds; ++i) {
    sandbox::PythonSandbox empty(limits);
    Session session(empty, loop);
    cold.push_back(milliseconds_of([&] { session.run(kCode); }));
  }
  report("python3 -c", plain);
  report("first code of a run, sandbox ready", first);
  report("later code of the run", later);
  report("first code of a run, none ready", cold);
  report("one call of a tool from code", calls);
  return 0;
}
