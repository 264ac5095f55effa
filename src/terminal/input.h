// Standard input, byte by byte and line by line, without ever holding up the loop: signals are heard and the network is
// read while a person thinks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "terminal/pump.h"

namespace braidlog::terminal {

class Input {
 public:
  explicit Input(Pump& pump) : pump_(pump) {}

  enum class Got { kLine, kEnd, kStopped };
  // The next line without its end, into `line`. Stops without one as soon as `stop()` is true; what was typed of it
  // until then stays for the next call. The last line needs no end. A line over a megabyte comes in pieces.
  Got read_line(std::string& line, const std::function<bool()>& stop);

  // The next byte; none at the end, or once `stop()` is true.
  std::optional<char> read_byte(const std::function<bool()>& stop);
  // Whether the next bytes are these; waits for a moment when only their beginning is there. Then they are taken.
  bool take_if(std::string_view bytes);

  // What was typed before now does not count: nobody has seen the question yet.
  void drop_typed();

 private:
  bool fill(const std::function<bool()>& stop);

  Pump& pump_;
  std::string bytes_;
  bool is_at_end_ = false;
};

}  // namespace braidlog::terminal
