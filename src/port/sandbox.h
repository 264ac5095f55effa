// Where an agent's code runs: a Python process of its own per run, closed off from everything. Its variables stay from
// one piece of code to the next; the tools of the agent are functions in it, whose calls come out here and are answered
// by the run, under the same approvals and the same ledger as any call of a model.
//
// A sandbox that cannot be closed off is never used: on a host that forbids what it needs, every piece of code is
// answered with `unavailable`, which says what to change. Runs on: the io thread of the run; nothing here blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/loop.h"
#include "base/result.h"

namespace braidlog {

// A function that code can call. Its arguments, by name or in the order of the schema's properties, become one JSON
// object.
struct CodeFunction {
  std::string name;  // a Python identifier
  std::string description;
  std::string parameters_json;  // JSON schema, an object
};

// How one piece of code ended.
struct CodeOutcome {
  std::string printed;               // stdout and stderr in the order of writing, cut at the limit with a mark; UTF-8
  std::optional<std::string> value;  // the repr of its last expression; none without one, or when that is None
  // None: it came to its end. Else one text for model and people: Python's own error with the line in the code, or the
  // limit that was hit, by name ("time limit of 30 s", "memory limit of 512 MiB", …).
  std::optional<std::string> error;
  std::optional<json::value> final;  // what final_answer() was given; the code stopped there
  bool lost = false;                 // the process is gone, and with it all variables; the next code gets a new one
  bool unavailable = false;          // there is no sandbox on this host: no code will ever run, `error` says why
};

// Takes what the code does. No call comes from inside a function of CodeSession, and none after it was destroyed.
class CodeSink {
 public:
  virtual ~CodeSink() = default;
  // The code called a function and waits for answer(). One call at a time, also when the code has threads.
  virtual void on_code_call(std::string_view name, json::object args) = 0;
  virtual void on_code_done(CodeOutcome outcome) = 0;
};

// What a called function gives back: a JSON value, or an error that the code sees as an exception of type ToolError.
struct CodeAnswer {
  json::value value;
  std::optional<std::string> error{};
};

// The sandbox of one run. Destroying it kills the process and all that it started, at once.
class CodeSession {
 public:
  virtual ~CodeSession() = default;
  // Runs one piece of code to its end; on_code_done() comes once. Not while another one runs. Waiting for answer() does
  // not count as the code's time.
  virtual void run(std::string code) = 0;
  // Answers the call that waits.
  virtual void answer(CodeAnswer answer) = 0;
};

// Thread-safe.
class Sandbox {
 public:
  virtual ~Sandbox() = default;
  // `loop` and `sink` outlive the session. Takes a process that waits ready, if there is one; the rest happens at the
  // first run().
  [[nodiscard]] virtual std::unique_ptr<CodeSession> open(std::vector<CodeFunction> functions, CodeSink& sink,
                                                          Loop& loop) = 0;
};

}  // namespace braidlog
