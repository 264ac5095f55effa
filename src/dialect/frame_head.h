// The beginning of a frame, up to its fields, as a projection keeps it from one frame to the next: most frames of a run
// are of one type, and their beginnings differ in the sequence alone.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "dialect/event_id.h"

namespace braidlog {

class FrameHead {
 public:
  // What is kept is the beginning of a frame of this type. `type` outlives the head.
  bool is_of(std::string_view type) const { return type_.data() == type.data() || type_ == type; }
  void forget() { type_ = {}; }

  // Writes another one: text, and where the sequence of the event is to stand (at most twice).
  FrameHead& begin(std::string_view type) {
    type_ = type;
    text_.clear();
    places_ = {};
    place_count_ = 0;
    return *this;
  }
  FrameHead& add(std::string_view text) {
    text_.append(text);
    return *this;
  }
  FrameHead& add_sequence() {
    places_.at(place_count_++) = text_.size();
    append_event_sequence(text_, {0});
    return *this;
  }

  void append_to(std::string& out, Sequence sequence) {
    for (std::size_t i = 0; i < place_count_; ++i) write_event_sequence(text_, places_[i], sequence);
    out.append(text_);
  }

 private:
  std::string_view type_;
  std::string text_;
  std::array<std::size_t, 2> places_{};
  std::size_t place_count_ = 0;
};

}  // namespace braidlog
