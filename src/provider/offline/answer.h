// What the offline model is going to do in one turn, as a value: a rule makes it, the call plays it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/error.h"

namespace braidlog::provider {

struct Say {
  std::string text;
};
struct Think {
  std::string text;
};
struct CallTool {
  std::string name;
  std::string args;  // streamed in fragments, whatever it is: a failure may want it broken
};
// These end the turn; nothing after them is played.
struct SayForever {
  std::string text;
};
struct FallSilent {};
struct Fail {
  Error error;
};

using Piece = std::variant<Say, Think, CallTool, SayForever, FallSilent, Fail>;

struct Answer {
  std::vector<Piece> pieces;
  bool reports_usage = true;
};

inline Answer say(std::string text) {
  return Answer{.pieces = {Say{std::move(text)}}};
}

}  // namespace braidlog::provider
