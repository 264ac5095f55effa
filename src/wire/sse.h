// Server-sent events: one frame to bytes, and bytes to frames (the reader is for upstreams and tests).
//
//   frame := [ "event: " type LF ] [ "id: " id LF ] "data: " json LF LF
//
// LF only, exactly one space after the colon, one JSON object on one data line. The JSON writer leaves no line end
// of any kind inside a string, so a frame cannot be forged from inside its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace braidlog {

inline constexpr std::string_view kKeepaliveComment = ": keepalive\n\n";

// Empty `type` or `id`: no such line.
void append_frame(std::string& out, std::string_view type, std::string_view id, std::string_view data);

// Reads a stream of server-sent events as the standard says: CR, LF and CRLF, also split across reads; a BOM;
// comments; no space after the colon; several data lines. A line, or the data of one event, over `line_bytes_max` is
// an error and the reader then takes nothing more.
struct SseEvent {
  std::string type;  // "message" when none was given
  std::string data;
  std::string last_id;
};

class SseReader {
 public:
  explicit SseReader(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}
  // Feeds bytes; calls `sink(SseEvent&&)` for each complete event. False once something was over the cap.
  template <class Sink>
  bool feed(std::string_view bytes, Sink&& sink) {
    for (const char c : bytes) {
      if (!take(c)) return false;
      if (ready_) {
        ready_ = false;
        sink(std::move(event_));
        event_ = {};
      }
    }
    return true;
  }

 private:
  bool take(char c);
  void end_line();

  std::size_t line_bytes_max_;
  std::string line_, data_, type_, last_id_;
  bool has_data_ = false, after_cr_ = false, at_start_ = true, ready_ = false, over_cap_ = false;
  SseEvent event_;
};

}  // namespace braidlog
