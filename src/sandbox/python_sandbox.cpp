#include "sandbox/python_sandbox.h"

#include "sandbox/sandbox_thread.h"
#include "sandbox/session_link.h"

namespace braidlog::sandbox {

namespace {

// Posts what the run wants to the sandbox thread. Runs on: the io thread of the run.
class PythonCodeSession final : public CodeSession {
 public:
  PythonCodeSession(SandboxThread& thread, SessionNumber number, std::shared_ptr<SessionLink> link)
      : thread_(thread), number_(number), link_(std::move(link)) {}
  ~PythonCodeSession() override {
    link_->close();
    thread_.post([number = number_](Pool& pool) { pool.close(number); });
  }

  void run(std::string code) override {
    link_->begin();
    thread_.post([number = number_, code = std::move(code)](Pool& pool) mutable { pool.run(number, std::move(code)); });
  }
  void answer(CodeAnswer answer) override {
    if (!link_->take_call()) return;
    thread_.post([number = number_, frame = answer_frame(answer)](Pool& pool) mutable {
      pool.answer(number, std::move(frame));
    });
  }

 private:
  SandboxThread& thread_;
  const SessionNumber number_;
  const std::shared_ptr<SessionLink> link_;  // shared with the pool, which speaks through it
};

}  // namespace

PythonSandbox::PythonSandbox(const Limits& limits, ProgramOptions options)
    : limits_(limits), options_(std::move(options)) {}

PythonSandbox::~PythonSandbox() = default;

void PythonSandbox::start() {
  thread().post([](Pool& pool) { pool.start(); });
}

std::optional<std::string> PythonSandbox::problem() {
  start();
  return thread().problem();
}

std::unique_ptr<CodeSession> PythonSandbox::open(std::vector<CodeFunction> functions, CodeSink& sink, Loop& loop) {
  const SessionNumber number = next_session_++;
  auto link = std::make_shared<SessionLink>(sink, loop);
  thread().post([number, link, functions = std::move(functions)](Pool& pool) { pool.open(number, link, functions); });
  return std::make_unique<PythonCodeSession>(thread(), number, std::move(link));
}

SandboxThread& PythonSandbox::thread() {
  std::call_once(begun_, [this] { thread_ = std::make_unique<SandboxThread>(limits_, find_programs(options_)); });
  return *thread_;
}

}  // namespace braidlog::sandbox
