// Puts the events of one answer together. Content blocks are known by their index, never by which was last: some
// servers begin a block before the one before it has ended. Text and tool calls are handed on as they come; every other
// block (thoughts with their signatures, and what is not known here) is kept whole, to be sent back as it was.
//
// An answer may pause (`pause_turn`) and go on in another stream; it stays one answer.
//
// Runs on: the loop of its call.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "provider/anthropic/message_event_parser.h"
#include "provider/attempt.h"
#include "provider/opaque_blob.h"
#include "provider/speaker.h"

namespace braidlog::provider {

class MessagesAnswer {
 public:
  MessagesAnswer(ModelSink& sink, BlobOwner owner) : owner_(std::move(owner)), speaker_(sink) {}

  // Nothing reaches the sink from here on; the sink may ask for this from inside.
  void silence() { speaker_.silence(); }

  // An error: the provider says that it failed, or sent what cannot be understood. The answer is then over.
  Attempted take(const MessageEvent& event);
  bool has_reason() const { return !stop_reason_.empty(); }
  // What came in one read was taken.
  void end_read() { speaker_.flush(); }
  // At the end of the stream. kUpstreamTruncated without a stop reason.
  tl::expected<ModelFinish, AttemptFailure> finish();

  // The stream is over, and the answer goes on once its model is shown what it said so far.
  bool is_paused() const { return stop_reason_ == "pause_turn" && calls_ == 0; }
  // That, and from here on the events of the stream that goes on are taken.
  ModelMessage resume();

 private:
  enum class Kind { kText, kCall, kOther };
  struct Block {
    Kind kind = Kind::kOther;
    json::object start{};        // as it began
    unsigned slot = 0;           // kCall
    bool has_args = false;       // kCall: some came in deltas
    std::string text{};          // kOther: of its deltas
    std::string partial_json{};  // kOther: the same
    std::size_t text_before = 0, calls_before = 0;
  };

  Attempted begin_block(const MessageEvent& event);
  Attempted begin_call(Block& block);
  Attempted take_delta(const MessageEvent& event);
  void take_other_delta(Block& block, const MessageEvent& event);
  void say_text(std::string_view text);
  void end_block(std::uint64_t index);
  void end_all_blocks();
  void keep(Block block);
  void take_counts(const MessageCounts& counts);
  void close_stream();

  const BlobOwner owner_;
  Speaker speaker_;
  std::map<std::uint64_t, Block> blocks_;  // that are open
  std::uint64_t last_index_ = 0;
  unsigned calls_ = 0;
  std::string text_;
  std::vector<std::string> opaque_;
  std::size_t kept_bytes_ = 0;
  std::string response_id_, stop_reason_;
  MessageCounts counts_;        // of this stream
  std::optional<Usage> usage_;  // of those that are over
};

}  // namespace braidlog::provider
