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

// A piece of code that the model wrote, and what it was told came of it.
struct PastAction {
  std::string code;
  std::string observation;           // printed, and its value
  std::optional<std::string> error;  // none: it ran to its end
};

// A file that came with a message: its text stands below the message, under a heading with its name.
struct Attachment {
  std::string name;
  std::string text;
};

struct Situation {
  TurnPurpose purpose = TurnPurpose::kAnswer;
  bool writes_code = false;
  std::string ask;                  // the last message of the user, without its files
  std::string said_before;          // what the model said before it
  std::size_t earlier_asks = 0;     // messages of the user before it
  std::vector<PastCall> calls;      // since the ask, oldest first
  std::vector<PastAction> actions;  // since the ask, of a model that writes code
  std::string said;                 // the last thing the model itself said since the ask
  std::size_t call_count = 0;       // in the whole conversation
  std::vector<std::string> tools;
  std::vector<std::string> functions;   // that code may call
  std::vector<Attachment> attachments;  // of the last message of the user that brought any
  bool attached_now = false;            // that is the last one

  bool offers(std::string_view tool) const;
  bool has_function(std::string_view name) const;
  std::vector<PastCall> calls_of(std::string_view tool) const;
};

// The engine speaks to a model as a user does: it asks for a plan, a reflection or the last answer, and tells what came
// of code. None of that is an ask.
Situation situation_of(const ModelRequest& request);

// Words are what white space separates. For these the offline model counts its tokens.
std::size_t count_words(std::string_view text);
// Of everything a model reads: instructions, context, messages, calls, results and tools.
std::size_t count_words(const ModelRequest& request);

}  // namespace braidlog::provider
