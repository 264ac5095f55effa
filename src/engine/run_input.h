// What can happen to a run: the inputs of the run machine. The driver makes them from callbacks, timers and
// orders.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "engine/first_events.h"
#include "port/model.h"
#include "port/run_store.h"
#include "port/sandbox.h"
#include "port/text_extractor.h"
#include "port/tool.h"

namespace braidlog {

// The run was made just now, or its turn has come: then with what its session is like now.
struct Begin {
  std::optional<TurnStart> turn{};
};
struct Resume {};  // the run was found unfinished after a restart

// The text of an attached file, or why there is none.
struct FileRead {
  std::uint32_t index = 0;
  Result<ExtractedText> found;
};

// What a model says is looked at while it says it: these texts are the speaker's.
struct ModelText {
  std::string_view text;
};
struct ModelReasoning {
  std::string_view text;
};
struct ModelToolCall {
  unsigned slot = 0;
  std::string provider_call_id;
  std::string name;
};
struct ModelToolArgs {
  unsigned slot = 0;
  std::string fragment;
};
struct ModelDone {
  ModelFinish finish;
};
struct ModelBroke {
  Error error;
};

struct ToolDone {
  ToolCallId call_id;
  ToolOutcome outcome;
};

// The code in the sandbox called a function and waits for its answer.
struct CodeCalled {
  std::string name;
  json::object args;
};
struct CodeEnded {
  CodeOutcome outcome;
};

struct DecisionMade {
  RunOrder order;
};
struct ApprovalExpired {
  ApprovalId approval_id;
};
struct InterruptOrdered {
  RunOrder order;
};
struct GraceOver {};  // tools in flight were given their time after an interrupt
struct TimeUp {};     // the run used up its working time

using RunInput = std::variant<Begin, Resume, ModelText, ModelReasoning, ModelToolCall, ModelToolArgs, ModelDone,
                              ModelBroke, ToolDone, DecisionMade, ApprovalExpired, InterruptOrdered, GraceOver, TimeUp,
                              CodeCalled, CodeEnded, FileRead>;

}  // namespace braidlog
