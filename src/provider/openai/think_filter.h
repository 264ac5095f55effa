// Takes thoughts out of the text of a server that does not do it itself: models that think write
// `<think>…</think>` at the beginning of their answer. The marks may be split over deltas. Anywhere else they are text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braidlog::provider {

class ThinkFilter {
 public:
  struct Piece {
    bool is_thought = false;
    std::string text;
  };

  // All that comes is text: nothing needs to be filtered any more.
  bool is_open() const { return place_ == Place::kText; }
  // The server tells thoughts and text apart itself. What was held back comes out.
  std::vector<Piece> open();

  std::vector<Piece> take(std::string_view delta);

 private:
  enum class Place { kBeginning, kThought, kAfterThought, kText };

  // False: more must come before anything can be said.
  bool take_beginning(std::vector<Piece>& pieces);
  bool take_thought(std::vector<Piece>& pieces);
  bool take_text(std::vector<Piece>& pieces);

  Place place_ = Place::kBeginning;
  std::string held_;
};

}  // namespace braidlog::provider
