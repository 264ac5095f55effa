// Puts the chunks of one chat completion together: hands on text and reasoning as they come, gives each tool call its
// slot, and keeps what only the end needs. Servers differ in how they spell a stream; what is known of that lives here.
//
// Runs on: the loop of its call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "port/model.h"
#include "provider/openai/chunk_parser.h"

namespace braidlog::provider {

class ChatAnswer {
 public:
  explicit ChatAnswer(ModelSink& sink) : sink_(&sink) {}

  // Nothing reaches the sink from here on; the sink may ask for this from inside.
  void silence() { sink_ = nullptr; }

  // kProvider: the provider says that it failed, or sent what cannot be understood. The answer is then over.
  Status take(const ChatChunk& chunk);
  // At the end of the stream. kUpstreamTruncated without a finish reason: nothing else tells a complete answer from a
  // cut one. kProvider when the reason is a failure.
  Result<ModelFinish> finish();

 private:
  struct Slot {
    std::optional<std::uint64_t> index;  // as the provider counts; may repeat
    std::string id;
    bool is_begun = false;       // told to the sink
    std::string args_unclaimed;  // came before the name
  };

  Status take_call(const ToolCallDelta& delta);
  Slot* find_slot(const ToolCallDelta& delta);

  ModelSink* sink_;
  std::vector<Slot> slots_;
  std::string response_id_;
  std::string finish_reason_;
  std::optional<Usage> usage_;
};

}  // namespace braidlog::provider
