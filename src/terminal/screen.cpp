#include "terminal/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "terminal/columns.h"

namespace braidlog::terminal {

namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

std::string Style::with(const char* code, std::string_view text) const {
  if (!has_colours || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

bool shows_colours(int fd) {
  if (::isatty(fd) != 1) return false;
  const char* none = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  return (none == nullptr || *none == '\0') && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

std::size_t columns_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // somebody who shares it has made it so
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void Screen::text(std::string_view text) {
  if (std::exchange(broke_line_, false)) {
    const auto first = text.find_first_not_of('\n');
    if (first == std::string_view::npos) {
      broke_line_ = true;
      return;
    }
    text.remove_prefix(first);
  }
  if (text.empty()) return;
  clear_status();
  write_text(text);
  in_line_ = text.back() != '\n';
}

void Screen::end_text() {
  clear_status();
  if (std::exchange(in_line_, false)) write_text("\n");
  broke_line_ = false;
}

void Screen::note(std::string_view line) {
  break_line();
  parts_.notes(std::string(line) + "\n");
}

void Screen::question(std::string_view line) {
  break_line();
  parts_.notes(line);
  in_question_ = true;
}

void Screen::leave_question() {
  if (std::exchange(in_question_, false)) parts_.notes("\n");
}

void Screen::status(std::string_view line) {
  if (!parts_.is_live || in_line_) return;
  parts_.notes(std::string(kClearLine) + parts_.style.dim(cut_to(line, columns() > 1 ? columns() - 1 : 1)));
  has_status_ = true;
}

void Screen::clear_status() {
  if (std::exchange(has_status_, false)) parts_.notes(kClearLine);
}

void Screen::break_line() {
  clear_status();
  in_question_ = false;
  if (!parts_.is_shared || !std::exchange(in_line_, false)) return;
  write_text("\n");
  broke_line_ = true;
}

}  // namespace braidlog::terminal
