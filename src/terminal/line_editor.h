// Lines from a person at a terminal: with a cursor, earlier lines by the arrow keys (kept in memory only) and paste of
// several lines as one message. libedit does the editing; the keys come through Input, so that the loop goes on.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "terminal/input.h"

namespace braidlog::terminal {

class LineEditor {
 public:
  // Writes the prompt to `output`, a descriptor of the terminal.
  LineEditor(Input& input, Pump& pump, int output);
  ~LineEditor();

  enum class Got { kLine, kEnd, kInterrupted, kLeave };
  // kEnd: Ctrl-D on an empty line. kInterrupted: Ctrl-C; `line` is what stood there. kLeave: SIGTERM or SIGHUP.
  Got read(const std::string& prompt, std::string& line);
  // For the arrow keys.
  void remember(const std::string& line);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace braidlog::terminal
