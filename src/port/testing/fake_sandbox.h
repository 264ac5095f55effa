// A sandbox in which no code runs: a test plays the code. It reads what run() was given, calls functions and ends the
// code by hand, or leaves that to `script`. Everything reaches the sink through the session's loop, as the port says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "port/sandbox.h"

namespace braidlog::testing {

// What the code does next: it calls a function, or it ends.
struct FakeCodeCall {
  std::string name;
  json::object args;
};
using FakeCodeStep = std::variant<FakeCodeCall, CodeOutcome>;

class FakeSandbox final : public Sandbox {
 public:
  // What a test sees of one session; stays after the session is gone.
  struct Session {
    std::vector<CodeFunction> functions;
    std::vector<std::string> codes;   // every run(), in order
    std::vector<CodeAnswer> answers;  // of the code that runs or ran last
    bool open = true;                 // not destroyed yet
    bool running = false;             // a code has not come to its end
    bool calling = false;             // it waits for answer()
    CodeSink* sink = nullptr;
    Loop* loop = nullptr;
  };
  // Asked after every run() and every answer(); none: the test goes on by hand. `session.codes.back()` is the code,
  // `session.answers` what it was answered so far.
  using Script = std::function<std::optional<FakeCodeStep>(const Session& session)>;

  std::unique_ptr<CodeSession> open(std::vector<CodeFunction> functions, CodeSink& sink, Loop& loop) override {
    auto session = std::make_shared<Session>();
    session->functions = std::move(functions);
    session->sink = &sink;
    session->loop = &loop;
    sessions.push_back(session);
    return std::make_unique<Handle>(*this, std::move(session));
  }

  // The code of the newest session calls a function.
  void call(std::string name, json::object args) { call(last(), std::move(name), std::move(args)); }
  void call(const std::shared_ptr<Session>& session, std::string name, json::object args) {
    BRAIDLOG_CHECK(session->open && session->running && !session->calling);
    session->calling = true;
    session->loop->post([session, name = std::move(name), args = std::move(args)]() mutable {
      if (session->open) session->sink->on_code_call(name, std::move(args));
    });
  }
  // The code of the newest session comes to its end.
  void finish(CodeOutcome outcome) { finish(last(), std::move(outcome)); }
  void finish(const std::shared_ptr<Session>& session, CodeOutcome outcome) {
    BRAIDLOG_CHECK(session->open && session->running);
    session->loop->post([session, outcome = std::move(outcome)]() mutable {
      if (!session->open) return;
      // Only now: until the sink knows the end, no other code may begin.
      session->running = false;
      session->calling = false;
      session->sink->on_code_done(std::move(outcome));
    });
  }

  const std::shared_ptr<Session>& last() const {
    BRAIDLOG_CHECK(!sessions.empty());
    return sessions.back();
  }

  Script script;
  std::vector<std::shared_ptr<Session>> sessions;  // in the order of open()

 private:
  class Handle final : public CodeSession {
   public:
    Handle(FakeSandbox& sandbox, std::shared_ptr<Session> session) : sandbox_(sandbox), session_(std::move(session)) {}
    ~Handle() override { session_->open = false; }

    void run(std::string code) override {
      BRAIDLOG_CHECK(!session_->running);
      session_->running = true;
      session_->codes.push_back(std::move(code));
      session_->answers.clear();
      sandbox_.play(session_);
    }
    void answer(CodeAnswer answer) override {
      if (!session_->running || !session_->calling) return;  // the code has ended since it called
      session_->calling = false;
      session_->answers.push_back(std::move(answer));
      sandbox_.play(session_);
    }

   private:
    FakeSandbox& sandbox_;
    std::shared_ptr<Session> session_;
  };

  void play(const std::shared_ptr<Session>& session) {
    if (!script) return;
    auto step = script(*session);
    if (!step) return;
    if (auto* call_step = std::get_if<FakeCodeCall>(&*step)) {
      call(session, std::move(call_step->name), std::move(call_step->args));
    } else {
      finish(session, std::move(std::get<CodeOutcome>(*step)));
    }
  }
};

}  // namespace braidlog::testing
