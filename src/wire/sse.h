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
#include <type_traits>
#include <utility>

namespace braidlog {

inline constexpr std::string_view kKeepaliveComment = ": keepalive\n\n";

// Empty `type` or `id`: no such line.
void append_frame(std::string& out, std::string_view type, std::string_view id, std::string_view data);

struct SseEvent {
  std::string type;  // "message" when none was given
  std::string data;
  std::string last_id;
};

// An event as it stands in the reader's memory: valid inside the sink only.
struct SseView {
  std::string_view type, data, last_id;
  operator SseEvent() const {  // NOLINT: a sink that keeps events takes an SseEvent
    return {std::string(type), std::string(data), std::string(last_id)};
  }
};

// Reads a stream of server-sent events as the standard says: CR, LF and CRLF, also split across reads; a BOM;
// comments; no space after the colon; several data lines. A line, or the data of one event, over `line_bytes_max` is
// an error and the reader then takes nothing more.
//
// This is on the way of every token. Bytes are copied only where an event is split across reads or has several data
// lines, and an idle reader holds no buffer worth the name.
class SseReader {
 public:
  explicit SseReader(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}
  SseReader(const SseReader&) = delete;  // it points into itself

  // Feeds bytes; calls `sink` with an SseView for each complete event. A sink that returns bool ends the reading by
  // false: the rest of `bytes` is dropped. False once something was over the cap.
  template <class Sink>
  bool feed(std::string_view bytes, Sink&& sink) {
    return feed(bytes, std::forward<Sink>(sink), [](std::string_view&) {});
  }

  // The same for who knows many of the events: where one begins `take_known` may take events off the front of the
  // bytes, whole ones of at most kKnownBytesMax each, and they are not read line by line.
  static constexpr std::size_t kKnownBytesMax = 4096;
  template <class Sink, class TakeKnown>
  bool feed(std::string_view bytes, Sink&& sink, TakeKnown&& take_known) {
    for (;;) {
      if (is_at_begin() && line_bytes_max_ >= kKnownBytesMax) take_known(bytes);
      if (!next_line(bytes)) break;
      if (!end_line()) continue;
      if constexpr (std::is_same_v<decltype(sink(event_)), bool>) {
        if (!sink(std::as_const(event_))) return true;
      } else {
        sink(std::as_const(event_));
      }
    }
    keep_rest(bytes);
    return !over_cap_;
  }

 private:
  // Nothing has come of the next event that would matter.
  bool is_at_begin() const {
    const bool has_line = !line_is_over_ && !line_begin_.empty();
    const bool has_type = !event_is_over_ && !type_.empty();
    return !has_data_ && !has_line && !has_type && !after_cr_ && !at_start_ && !over_cap_;
  }
  // Takes a line with its end off the front of `bytes`, into line_; false when none is complete.
  bool next_line(std::string_view& bytes);
  // True when line_ completes an event, which is then in event_.
  bool end_line();
  void take_data(std::string_view value);
  void own_data();
  // What is incomplete is copied before the bytes go.
  void keep_rest(std::string_view bytes);

  std::size_t line_bytes_max_;
  bool has_data_ = false, after_cr_ = false, at_start_ = true;
  bool line_is_over_ = false, event_is_over_ = false, over_cap_ = false;
  std::string line_begin_;  // of a line that began in an earlier read
  std::string type_, last_id_;
  std::string_view line_;  // without its end; into the bytes fed, or into line_begin_
  std::string_view data_;  // of the event so far; into the bytes fed, or into data_copy_
  std::string data_copy_;
  SseView event_;
};

}  // namespace braidlog
