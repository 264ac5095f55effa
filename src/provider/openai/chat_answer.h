// Puts the chunks of one chat completion together: hands on text and reasoning as they come, gives each tool call its
// slot, and keeps what only the end needs. Servers differ in how they spell a stream; what is known of that lives here.
//
// Runs on: the loop of its call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provider/attempt.h"
#include "provider/opaque_blob.h"
#include "provider/openai/chunk_parser.h"
#include "provider/openai/think_filter.h"
#include "provider/speaker.h"

namespace braidlog::provider {

class ChatAnswer {
 public:
  struct Settings {
    BlobOwner owner{};               // of what is kept to be sent back
    bool returns_reasoning = false;  // then the reasoning is kept too
  };
  explicit ChatAnswer(ModelSink& sink) : ChatAnswer(sink, {}) {}
  ChatAnswer(ModelSink& sink, Settings settings) : speaker_(sink), settings_(std::move(settings)) {}

  // Nothing reaches the sink from here on; the sink may ask for this from inside.
  void silence() { speaker_.silence(); }

  // An error: the provider says that it failed, or sent what cannot be understood. The answer is then over.
  Attempted take(const ChatChunk& chunk);
  // The same for a chunk that is only text.
  void take_text(std::string_view text);
  bool has_reason() const { return !finish_reason_.empty(); }
  // What came in one read was taken.
  void end_read() { speaker_.flush(); }
  // At the end of the stream. kUpstreamTruncated without a finish reason: nothing else tells a complete answer from a
  // cut one. kProvider when the reason is a failure.
  tl::expected<ModelFinish, AttemptFailure> finish();

 private:
  struct Slot {
    std::optional<std::uint64_t> index;  // as the provider counts; may repeat
    std::string id{};
    std::string name{};
    bool is_begun = false;         // told to the sink
    std::string args_unclaimed{};  // came before that
    std::string extra_json{};      // goes back with the call
  };

  void say(const std::vector<ThinkFilter::Piece>& pieces);
  void take_reasoning(const ChatChunk& chunk);
  void take_reasoning_text(std::string_view text, std::string_view field);
  Attempted take_call(const ToolCallDelta& delta, bool is_first);
  Slot* find_slot(const ToolCallDelta& delta, bool is_first);
  void begin(Slot& slot);
  void begin_named_calls(const Slot* but);
  std::vector<std::string> opaque() const;

  Speaker speaker_;
  std::string finish_reason_;
  ThinkFilter thoughts_;
  const Settings settings_;
  std::vector<Slot> slots_;
  std::string response_id_;
  std::optional<Usage> usage_;
  bool has_refused_ = false;
  std::string reasoning_, reasoning_field_;  // kept only for a server that wants them back
  std::string details_json_;                 // elements of all reasoning_details, without the brackets
};

}  // namespace braidlog::provider
