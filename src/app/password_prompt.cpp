#include "app/password_prompt.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "auth/user_name.h"

namespace braidlog::app {

namespace {

// While it lives the terminal shows nothing of what is typed. Like getpass(3) it takes the keys that end a program for
// ordinary ones: a program that ends here would leave a terminal that shows nothing for ever.
class SilentTerminal {
 public:
  SilentTerminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    is_silent_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~SilentTerminal() {
    if (is_silent_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  SilentTerminal(const SilentTerminal&) = delete;
  SilentTerminal& operator=(const SilentTerminal&) = delete;

 private:
  termios before_{};
  bool is_silent_ = false;
};

constexpr char kInterruptKey = '\x03';

// Byte by byte, so that nothing after the line is taken.
Result<std::string> read_line() {
  std::string line;
  for (;;) {
    char c = 0;
    const auto got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 && line.empty()) return fail(ErrorCode::kBadField, "no password was given on standard input");
    if (got <= 0 || c == '\n') break;
    if (line.size() > 2 * auth::kPasswordBytesMax) break;  // too long in any case
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Result<std::string> ask(const std::string& prompt) {
  std::fputs(prompt.c_str(), stderr);
  std::fflush(stderr);
  auto line = read_line();
  std::fputs("\n", stderr);
  if (line && line->find(kInterruptKey) != std::string::npos) return fail(ErrorCode::kBadField, "cancelled");
  return line;
}

}  // namespace

Result<std::string> read_new_password(const std::string& user_name) {
  Result<std::string> password;
  if (::isatty(STDIN_FILENO) == 1) {
    const SilentTerminal silent;
    password = ask("Password for " + user_name + ": ");
    if (!password) return password;
    if (auto checked = auth::check_password(*password); !checked) return fail(checked.error());
    const auto again = ask("Once more: ");
    if (!again) return again;
    if (*again != *password) return fail(ErrorCode::kBadField, "the two passwords differ; nothing was changed");
    return password;
  }
  password = read_line();
  if (!password) return password;
  if (auto checked = auth::check_password(*password); !checked) return fail(checked.error());
  return password;
}

}  // namespace braidlog::app
