// How a tool's work becomes a ToolRun: on the worker pool for what may block, on the loop for what is
// computed at once, by a callback for what another part of the server does. In each way `done` comes once, from a task
// of the loop, and never after the ToolRun was destroyed.
#pragma once

#include <memory>

#include "base/loop.h"
#include "port/tool.h"

namespace braidlog::tool {

using Done = UniqueFunction<void(ToolOutcome)>;

// `work` runs to its end on the pool, whoever has lost interest: a half-written file is worse than an
// unwanted one. The pool is stopped before `loop` goes away. Called on `loop`.
[[nodiscard]] std::unique_ptr<ToolRun> run_on_pool(WorkerPool& pool, Loop& loop, UniqueFunction<ToolOutcome()> work,
                                                   Done done);

// For a tool that already has its outcome. Called on `loop`.
[[nodiscard]] std::unique_ptr<ToolRun> answer_later(Loop& loop, ToolOutcome outcome, Done done);

// For a tool that waits for somebody else's reply. `finish` gives the outcome, once, from any thread, while the loop
// lives; when the run is gone by then it does nothing. Called on `loop`.
struct PendingCall {
  std::unique_ptr<ToolRun> run;
  Done finish;
};
[[nodiscard]] PendingCall wait_for_outcome(Loop& loop, Done done);

}  // namespace braidlog::tool
