// While an answer streams, what is typed does not show: it would stand in the middle of it. It is not lost, but waits
// for the next prompt.
#pragma once

#include <termios.h>

namespace braidlog::terminal {

class QuietTerminal {
 public:
  // `is_wanted`: standard input is a terminal and belongs to us.
  explicit QuietTerminal(bool is_wanted);
  ~QuietTerminal() { pause(); }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

  // For as long as a person is asked something.
  void pause();
  void resume();

 private:
  termios before_{};
  bool is_wanted_ = false;
};

}  // namespace braidlog::terminal
