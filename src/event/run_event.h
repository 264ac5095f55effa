// The canonical events of a run: everything that happens in a run, in no contract's words. A run's log is a sequence
// of these; its state is a fold over them (event/run_state.h); what a client sees is a projection of them
// (dialect/). Rules:
//   - An event says what happened, completely enough that a replay a year later gives the same bytes.
//   - Each struct lists its fields once, in fields(); both encodings and the tests use that list. A durable record
//     holds the fields in this order, so new fields go to the end, and none is ever removed or re-typed.
//   - Adding an event: the struct, its line in RunEventBody and event_type.h, an arm in the fold, and a decision in
//     every projection (they switch without default). The comment of a struct is its row in docs/event-catalog.md:
//     what it means, and after `When:` when it is logged (tools/make_event_catalog.py).
#pragma once

#include <cstdint>
#include <variant>

#include "base/clock.h"
#include "event/lifecycle_events.h"
#include "event/model_events.h"
#include "event/sequence.h"
#include "event/task_events.h"
#include "event/tool_events.h"

namespace braidlog {

using RunEventBody =
    std::variant<RunQueued, RunStarted, RunResumed, InterruptRequested, ModelStarted, TextStarted, TextDelta,
                 TextFinished, ReasoningStarted, ReasoningDelta, ReasoningFinished, ModelFinished, PlanMade,
                 ToolCallStarted, ToolArgsDelta, ToolCallReady, ToolCallAbandoned, InputRequested, InputGiven,
                 ToolStarted, ToolFinished, StepFinished, ArtifactCreated, DataModified, TasksReplaced, TaskSelected,
                 TaskFinished, ReflectionMade, Warning, RunCompleted, RunFailed, RunInterrupted, CodeStarted,
                 AttachmentRead>;

struct RunEvent {
  Sequence sequence;
  WallTime at;                   // wall time when it happened
  std::uint32_t elapsed_ms = 0;  // milliseconds since the run was queued, never stepping back
  RunEventBody body;
  bool operator==(const RunEvent&) const = default;
};

bool is_terminal(const RunEventBody& body);

}  // namespace braidlog
