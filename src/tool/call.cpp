#include "tool/call.h"

#include <exception>
#include <utility>

namespace braidlog::tool {

namespace {

// Owned by the ToolRun alone. Everything else holds a weak pointer and looks through it only on the loop, so
// `done` and what it captures live and die there.
struct Waiting {
  Done done;
};

class Call final : public ToolRun {
 public:
  explicit Call(Done done) : waiting_(std::make_shared<Waiting>(std::move(done))) {}
  std::weak_ptr<Waiting> waiting() const { return waiting_; }

 private:
  std::shared_ptr<Waiting> waiting_;
};

void deliver(Loop& loop, std::weak_ptr<Waiting> waiting, ToolOutcome outcome) {
  loop.post([waiting = std::move(waiting), outcome = std::move(outcome)]() mutable {
    const auto found = waiting.lock();
    if (!found) return;
    // Moved out first: `done` may destroy the ToolRun.
    Done done = std::move(found->done);
    done(std::move(outcome));
  });
}

ToolOutcome run_guarded(UniqueFunction<ToolOutcome()>& work) {
  // An exception that left a pool task would end the process; a tool that runs out of memory is a failed
  // tool.
  try {
    return work();
  } catch (const std::exception&) {
    return ToolOutcome::error(ToolStatus::kToolError, "the tool failed");
  }
}

}  // namespace

PendingCall wait_for_outcome(Loop& loop, Done done) {
  auto call = std::make_unique<Call>(std::move(done));
  Done finish = [&loop, waiting = call->waiting()](ToolOutcome outcome) { deliver(loop, waiting, std::move(outcome)); };
  return {std::move(call), std::move(finish)};
}

std::unique_ptr<ToolRun> run_on_pool(WorkerPool& pool, Loop& loop, UniqueFunction<ToolOutcome()> work, Done done) {
  PendingCall call = wait_for_outcome(loop, std::move(done));
  pool.run([finish = std::move(call.finish), work = std::move(work)]() mutable { finish(run_guarded(work)); });
  return std::move(call.run);
}

std::unique_ptr<ToolRun> answer_later(Loop& loop, ToolOutcome outcome, Done done) {
  PendingCall call = wait_for_outcome(loop, std::move(done));
  call.finish(std::move(outcome));
  return std::move(call.run);
}

}  // namespace braidlog::tool
