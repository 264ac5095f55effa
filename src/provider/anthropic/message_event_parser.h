// One event of a messages stream as a value. This is on the way of every token: nothing is allocated once the buffers
// have grown, and fields that nobody needs are skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "provider/lone_surrogates.h"

namespace braidlog::provider {

// Counters as one event reports them; none: it says nothing of it.
struct MessageCounts {
  std::optional<std::uint64_t> input, output, cache_read, cache_write;
};

// The texts are valid until the next parse. Empty: absent, null or empty.
struct MessageEvent {
  std::string_view type;
  std::optional<std::uint64_t> index;  // of the content block that it is about
  // content_block_start
  std::string_view block_json;
  // content_block_delta
  std::string_view text, partial_json, thinking, signature;
  // message_start, message_delta
  std::string_view message_id, stop_reason;
  MessageCounts counts;
  // error
  bool is_error = false;
  int error_status = 0;     // the HTTP status that goes with it, where it can be told
  std::size_t text_at = 0;  // where `text` stands in the JSON, after its quote; 0: there is none, or it was repaired

  // Nothing in it matters but `text` and its block.
  bool is_only_text() const;
};

// Runs on: one loop; the calls of that loop share it.
class MessageEventParser {
 public:
  MessageEventParser();
  ~MessageEventParser();

  // Null when `json` is not a JSON object of the expected shape. Unknown fields are ignored.
  // `half` is of the stream, over all its events.
  const MessageEvent* parse(std::string_view json, HalfCharacter& half);
  // Of an event that stands alone.
  const MessageEvent* parse(std::string_view json) {
    HalfCharacter none;
    return parse(json, none);
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braidlog::provider
