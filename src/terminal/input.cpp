#include "terminal/input.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace braidlog::terminal {

namespace {

constexpr std::size_t kLineBytesMax = 1024 * 1024;
// A terminal sends the bytes of one key together.
constexpr std::chrono::milliseconds kKeyTime{30};

}  // namespace

// True when there are more bytes. Where there are none, the end was reached or the wait was stopped.
bool Input::fill(const std::function<bool()>& stop) {
  if (is_at_end_) return false;
  bool has_input = false;
  pump_.until([&] { return stop() || (has_input = pump_.has_input()); });
  if (!has_input) return false;
  char buffer[4096];
  const auto got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) {
    // A terminal is not over for good by Ctrl-D, but who asked is told so once.
    is_at_end_ = ::isatty(STDIN_FILENO) != 1 || got < 0;
    return false;
  }
  bytes_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

Input::Got Input::read_line(std::string& line, const std::function<bool()>& stop) {
  std::size_t end = 0;
  while ((end = bytes_.find('\n')) == std::string::npos && bytes_.size() < kLineBytesMax) {
    if (fill(stop)) continue;
    if (stop()) return Got::kStopped;
    if (bytes_.empty()) return Got::kEnd;
    line.swap(bytes_);
    bytes_.clear();
    return Got::kLine;
  }
  const bool is_whole = end != std::string::npos;
  line = bytes_.substr(0, is_whole ? end : kLineBytesMax);
  bytes_.erase(0, line.size() + (is_whole ? 1 : 0));
  if (line.ends_with('\r')) line.pop_back();
  return Got::kLine;
}

std::optional<char> Input::read_byte(const std::function<bool()>& stop) {
  while (bytes_.empty()) {
    if (!fill(stop)) return std::nullopt;
  }
  const char byte = bytes_.front();
  bytes_.erase(0, 1);
  return byte;
}

bool Input::take_if(std::string_view bytes) {
  while (bytes_.size() < bytes.size() && bytes.starts_with(bytes_)) {
    bool is_late = false;
    const Timer timer = pump_.loop().after(kKeyTime, [&] { is_late = true; });
    if (!fill([&] { return is_late; })) break;
  }
  if (!bytes_.starts_with(bytes)) return false;
  bytes_.erase(0, bytes.size());
  return true;
}

void Input::drop_typed() {
  bytes_.clear();
  if (::isatty(STDIN_FILENO) == 1) ::tcflush(STDIN_FILENO, TCIFLUSH);
}

}  // namespace braidlog::terminal
