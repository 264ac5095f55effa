// One `data:` of a chat completion stream as a value. This is on the way of every token: nothing is allocated once the
// buffers have grown, and fields that nobody needs are skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "event/run_event.h"
#include "provider/lone_surrogates.h"

namespace braidlog::provider {

struct ToolCallDelta {
  std::optional<std::uint64_t> index;
  std::string_view id, name, args{};  // empty: absent, null or empty
  std::string_view extra_json{};      // `extra_content`, an object of the provider's own
};

// The texts are valid until the next parse.
struct ChatChunk {
  std::string_view id;
  std::string_view text;
  std::string_view refusal;
  std::string_view reasoning;
  std::string_view reasoning_field;  // by which name the reasoning came
  std::string_view details_json;     // `reasoning_details`, an array of the provider's own
  std::vector<ToolCallDelta> calls;
  std::string_view finish_reason;
  std::optional<Usage> usage;
  bool has_choices = false;
  bool is_error = false;    // the provider says that the answer failed
  int error_status = 0;     // the HTTP status that goes with it, where it can be told
  std::size_t text_at = 0;  // where `text` stands in the JSON, after its quote; 0: there is none, or it was repaired

  void clear();
  // Nothing in it matters but `text`.
  bool is_only_text() const;
};

// Runs on: one loop; the calls of that loop share it.
class ChunkParser {
 public:
  ChunkParser();
  ~ChunkParser();

  // Null when `json` is not a JSON object of the expected shape. Unknown fields are ignored.
  // `half` is of the stream, over all its events.
  const ChatChunk* parse(std::string_view json, HalfCharacter& half);
  // Of an event that stands alone.
  const ChatChunk* parse(std::string_view json) {
    HalfCharacter none;
    return parse(json, none);
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braidlog::provider
