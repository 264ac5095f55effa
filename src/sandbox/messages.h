// The words between the server and the runner inside a sandbox (runner/runner.py): frames of four bytes of length,
// little endian, and that many bytes of JSON. What comes out of a sandbox was written by a stranger: whoever reads here
// believes nothing but the shape, and a frame of another shape is the end of the process that sent it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "port/sandbox.h"
#include "sandbox/limit_words.h"
#include "sandbox/runner_modules.h"

namespace braidlog::sandbox {

struct RunnerMessage {
  enum class Kind { kReady, kCall, kDone };
  Kind kind = Kind::kReady;
  // Of a call.
  std::string name;
  json::object args;
  // Of an end.
  std::optional<std::string> value;
  std::optional<std::string> error;
  std::optional<json::value> final;
  bool leaving = false;  // the process goes: it can run no other code
};

// None: not one of ours.
std::optional<RunnerMessage> parse_message(std::string_view frame);

// The largest frame that a runner may send.
std::size_t frame_bytes_max(const Limits& limits);

// Takes bytes as they come and gives frames.
class FrameReader {
 public:
  explicit FrameReader(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  void append(std::string_view bytes) { buffer_.append(bytes); }
  // None: there is no whole one yet, or there never will be.
  std::optional<std::string> next();
  bool broken() const { return broken_; }  // a frame was announced that is larger than any may be

 private:
  const std::size_t frame_bytes_max_;
  std::string buffer_;
  bool broken_ = false;
};

std::string frame_of(std::string_view json);
std::string hex_of(std::string_view bytes);

// What the server says. Each is a whole frame.
std::string modules_frame(const std::vector<RunnerModule>& modules);  // the program itself
std::string settings_frame(const Limits& limits, const LimitWords& words, std::string_view inner_filter);
// `functions_json` of the process' first code, empty later.
std::string run_frame(std::string_view code, std::string_view functions_json);
std::string answer_frame(const CodeAnswer& answer);

// The functions as the runner takes them: name, description, and the names of the parameters in their order.
std::string functions_as_json(const std::vector<CodeFunction>& functions);

}  // namespace braidlog::sandbox
