// How a tool's work becomes a ToolRun: on the worker pool for what may block, on the loop for what is
// computed at once. Either way `done` comes once, from a task of the loop, and never after the ToolRun was
// destroyed.
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

}  // namespace braidlog::tool
