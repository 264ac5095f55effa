// A language model that answers as a stream. Runs on: the io thread of the run; nothing here blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/loop.h"
#include "event/run_event.h"

namespace braidlog {

struct ToolCallMessage {
  std::string id;  // as the model is to see it; the same in the call and in its result
  std::string name;
  std::string args_json;
};

// One message of what the model reads.
struct ModelMessage {
  enum class Role { kUser, kAssistant, kTool };
  Role role = Role::kUser;
  std::string text;
  std::vector<ToolCallMessage> calls;  // kAssistant
  std::string call_id;                 // kTool: whose result `text` is
  // kAssistant: blobs of the provider that said it, as its ModelFinish brought them. Each says whose it is: a model
  // sends its own back and leaves those of others out.
  std::vector<std::string> opaque;
};

struct ToolOffer {
  std::string name;
  std::string description;
  std::string parameters_json;  // JSON schema
};

struct ModelRequest {
  TurnPurpose purpose = TurnPurpose::kAnswer;
  bool writes_code = false;  // an action is a fenced block of Python in the answer
  std::string instructions;
  std::optional<std::string> context;  // for this turn only, apart from the instructions
  std::vector<ModelMessage> messages;
  std::vector<ToolOffer> tools;  // none: a turn without tools
  bool continue_last = false;    // the last message is the beginning of this very answer: go on exactly after it
};

struct ModelFinish {
  FinishReason reason = FinishReason::kStop;
  std::string raw_reason;
  std::string response_id;
  std::optional<Usage> usage;
  std::vector<std::string> opaque;
  std::string answered_by{};  // "provider/name" when another model than the one asked has answered; else empty
};

// Takes what the model says, in order. Exactly one of finished() and failed() ends it, and nothing comes after it or
// after the call was cancelled. No call comes from inside Model::start().
class ModelSink {
 public:
  virtual ~ModelSink() = default;
  // What comes between these two came at one moment: nobody needs to look at a clock for each word of it. A model may
  // leave them out; the end is not told when the answer has ended meanwhile.
  virtual void on_read_begin() {}
  virtual void on_read_end() {}
  virtual void on_text(std::string_view delta) = 0;
  virtual void on_reasoning(std::string_view delta) = 0;
  // `slot` names the call within this answer. Begun once, then its arguments in pieces, complete at finished().
  virtual void on_tool_call(unsigned slot, std::string_view provider_call_id, std::string_view name) = 0;
  virtual void on_tool_args(unsigned slot, std::string_view fragment) = 0;
  virtual void on_finished(ModelFinish finish) = 0;
  // kProvider, kProviderTimeout, kProviderRateLimited, kUpstreamTruncated; the message is fit to be shown.
  // kToolsRefused, before anything else was heard: the same request without tools may be answered.
  virtual void on_failed(Error error) = 0;
};

// A call under way. Destroying it cancels the call: the upstream is closed at once and the sink hears nothing more.
class ModelCall {
 public:
  virtual ~ModelCall() = default;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::string_view provider() const = 0;
  virtual std::string_view name() const = 0;
  // How many tokens it can read and write in one call; 0: not known.
  virtual std::size_t context_tokens() const { return 0; }
  // `sink` and `loop` outlive the returned call.
  [[nodiscard]] virtual std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop& loop) = 0;
};

}  // namespace braidlog
