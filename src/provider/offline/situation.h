// What the offline model knows when it is asked: the last thing the user said, and what was tried since.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/model.h"

namespace braidlog::provider {

struct PastCall {
  std::string name;
  std::string args;
  std::optional<std::string> result;  // none: no result came back

  // A string argument, or empty.
  std::string argument(std::string_view key) const;
};

// A file that came with a message: its text stands below the message, under a heading with its name.
struct Attachment {
  std::string name;
  std::string text;
};

struct Situation {
  std::string ask;               // the last user message, without its files
  std::size_t earlier_asks = 0;  // user messages before it
  std::vector<PastCall> calls;   // since then, oldest first
  std::size_t call_count = 0;    // in the whole conversation
  std::vector<std::string> tools;
  std::vector<Attachment> attachments;  // of the last user message that brought any
  bool attached_now = false;            // that is the last one

  bool offers(std::string_view tool) const;
  std::vector<PastCall> calls_of(std::string_view tool) const;
};

Situation situation_of(const ModelRequest& request);

// Words are what white space separates. For these the offline model counts its tokens.
std::size_t count_words(std::string_view text);
// Of everything a model reads: instructions, context, messages, calls, results and tools.
std::size_t count_words(const ModelRequest& request);

}  // namespace braidlog::provider
