// The way from the sandbox thread to the sink of one session. Closed by the session before it goes: after that neither
// its sink nor its loop is touched.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/loop.h"
#include "base/thread_annotations.h"
#include "port/sandbox.h"

namespace braidlog::sandbox {

class SessionLink : public std::enable_shared_from_this<SessionLink> {
 public:
  SessionLink(CodeSink& sink, Loop& loop) : sink_(&sink), loop_(&loop) {}

  // From the sandbox thread.
  void call(std::string name, json::object args) {
    post([self = shared_from_this(), name = std::move(name), args = std::move(args)]() mutable {
      if (!self->sink_) return;
      self->calling_ = true;
      self->sink_->on_code_call(name, std::move(args));
    });
  }
  void done(CodeOutcome outcome) {
    post([self = shared_from_this(), outcome = std::move(outcome)]() mutable {
      if (!self->sink_) return;
      self->running_ = self->calling_ = false;
      self->sink_->on_code_done(std::move(outcome));
    });
  }

  // From the loop.
  void begin() {
    BRAIDLOG_CHECK(!running_);
    running_ = true;
  }
  // Whether there is a call to answer: the process may have ended since it was made. The call is then taken as
  // answered.
  bool take_call() { return std::exchange(calling_, false); }
  void close() {
    sink_ = nullptr;
    MutexLock lock(mutex_);
    loop_ = nullptr;
  }

 private:
  void post(Task task) {
    // Held while it posts: close() waits, and the loop outlives that.
    MutexLock lock(mutex_);
    if (loop_) loop_->post(std::move(task));
  }

  // Of the loop.
  CodeSink* sink_;
  bool running_ = false;
  bool calling_ = false;

  Mutex mutex_;
  Loop* loop_ GUARDED_BY(mutex_);
};

}  // namespace braidlog::sandbox
