// A tool that a model may call. A Tool is immutable and shared by all runs of its agent. Runs on: the io thread of
// the run; a tool that blocks does so on the worker pool.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/result.h"
#include "event/run_event.h"

namespace braidlog {

struct ToolSpec {
  std::string name;
  std::string description;
  std::string parameters_json;                       // JSON schema of the arguments, an object
  bool writes = true;                                // changes files of the workspace or anything outside the server
  bool idempotent = false;                           // may be run again after a crash although it writes
  std::optional<std::chrono::milliseconds> timeout;  // absent: the server's limit
  // What people may be shown while it runs and after it succeeded ("Alerting admin..."); empty: nothing.
  std::string display_running{}, display_done{};
  bool changes_session = false;  // its calls run one after the other, each seeing what the last one did
  // A digest of name, description and schema where these come from outside and may change; else empty. What a person
  // approved was a tool of that version.
  std::string version{};
};

struct ToolInvocation {
  RunId run_id;
  SessionId session_id;
  std::string user_id;
  ToolCallId call_id;  // with run_id: the idempotency key of this call
  json::value args;    // an object that passed check()
};

// What a call changed in its session. Durable together with the call's result, or not at all.
struct ArtifactMade {
  std::string name;
  std::string type;
  std::string content;
};
struct DataItemChanged {
  DataItemId id;
  DataOperation operation = DataOperation::kCreate;
  std::string item_type;
  std::string data_json;  // empty for a deletion
};
using SessionChange = std::variant<ArtifactMade, DataItemChanged>;

struct ToolOutcome {
  ToolStatus status = ToolStatus::kOk;
  json::value value;  // the result; null for an error
  std::string text;   // the result as text, or what went wrong, in words a model understands; valid UTF-8
  std::vector<SessionChange> changes{};  // of a success; the id of an artifact is that of the call

  // A string is its own text; anything else is its JSON.
  static ToolOutcome ok(json::value value);
  static ToolOutcome error(ToolStatus status, std::string text);
};

// A call under way. Destroying it asks the tool to stop; `done` is then never called.
class ToolRun {
 public:
  virtual ~ToolRun() = default;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;
  // kToolInvalidArguments with words for the model when `args` do not fit the schema.
  virtual Status check(const json::value& args) const = 0;
  // `done` comes once, on `loop`, never from inside start().
  [[nodiscard]] virtual std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                                       UniqueFunction<void(ToolOutcome)> done) = 0;
};

}  // namespace braidlog
