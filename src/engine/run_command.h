// What the run machine wants done once its events are durable: the commands of the run driver.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "event/run_event.h"

namespace braidlog {

struct ReadFile {  // the attachment's text, for FileRead
  std::uint32_t index = 0;
};
struct CallModel {};    // with the prompt of the state as it then is
struct CancelModel {};  // at once, even before the events are durable
struct StartTool {
  ToolCallId call_id;
};
struct DropTools {};  // give up on every tool in flight
struct RunCode {};    // the code of the last turn, in the run's sandbox
struct AnswerCode {   // with the result of that call, which the code waits for
  ToolCallId call_id;
};
struct StopCode {};   // at once, even before the events are durable: the sandbox is gone
struct WatchExpiry {  // answer ApprovalExpired at that wall time
  ApprovalId approval_id;
  std::int64_t at_ms = 0;
};
struct StartGrace {};  // answer GraceOver after the cancel grace

using RunCommand = std::variant<CallModel, CancelModel, StartTool, DropTools, WatchExpiry, StartGrace, RunCode,
                                AnswerCode, StopCode, ReadFile>;

// The answer of the machine to one input: events to append, then commands to do.
struct RunStep {
  std::vector<RunEvent> events;
  std::vector<RunCommand> commands;
};

}  // namespace braidlog
