// One `data:` of a chat completion stream as a value. This is on the way of every token: nothing is allocated once the
// buffers have grown, and fields that nobody needs are skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "event/run_event.h"

namespace braidlog::provider {

struct ToolCallDelta {
  std::optional<std::uint64_t> index;
  std::string_view id, name, args;  // empty: absent, null or empty
};

// The texts are valid until the next parse.
struct ChatChunk {
  std::string_view id;
  std::string_view text;
  std::string_view reasoning;
  std::vector<ToolCallDelta> calls;
  std::string_view finish_reason;
  std::optional<Usage> usage;
  bool is_error = false;  // the provider says that the answer failed

  void clear();
};

// Runs on: one loop; the calls of that loop share it.
class ChunkParser {
 public:
  ChunkParser();
  ~ChunkParser();

  // Null when `json` is not a JSON object of the expected shape. Unknown fields are ignored.
  const ChatChunk* parse(std::string_view json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braidlog::provider
