#include "terminal/quiet_terminal.h"

#include <unistd.h>

namespace braidlog::terminal {

QuietTerminal::QuietTerminal(bool is_wanted) : is_wanted_(is_wanted && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
  resume();
}

void QuietTerminal::pause() {
  if (is_wanted_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

void QuietTerminal::resume() {
  if (!is_wanted_) return;
  termios quiet = before_;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
}

}  // namespace braidlog::terminal
