#include "provider/openai/think_filter.h"

#include <algorithm>
#include <utility>

namespace braidlog::provider {

namespace {

constexpr std::string_view kBegin = "<think>";
constexpr std::string_view kEnd = "</think>";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kSpaceBytesMax = 64;  // of a beginning that is waited through

// How many of the last bytes of `text` may be the beginning of `mark`.
std::size_t begun_mark(std::string_view text, std::string_view mark) {
  for (std::size_t size = std::min(text.size(), mark.size() - 1); size > 0; --size) {
    if (text.ends_with(mark.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

std::vector<ThinkFilter::Piece> ThinkFilter::open() {
  std::vector<Piece> pieces;
  const bool is_thought = std::exchange(place_, Place::kText) == Place::kThought;
  if (!held_.empty()) pieces.push_back({is_thought, std::exchange(held_, {})});
  return pieces;
}

std::vector<ThinkFilter::Piece> ThinkFilter::take(std::string_view delta) {
  held_ += delta;
  std::vector<Piece> pieces;
  bool goes_on = true;
  while (goes_on && !held_.empty()) {
    switch (place_) {
      case Place::kBeginning: goes_on = take_beginning(pieces); break;
      case Place::kThought: goes_on = take_thought(pieces); break;
      case Place::kAfterThought:
      case Place::kText: goes_on = take_text(pieces); break;
    }
  }
  return pieces;
}

bool ThinkFilter::take_beginning(std::vector<Piece>&) {
  const auto at = std::min(held_.find_first_not_of(kSpace), held_.size());
  const std::string_view rest = std::string_view(held_).substr(at);
  const bool may_begin = at <= kSpaceBytesMax;
  if (may_begin && rest.starts_with(kBegin)) {
    held_.erase(0, at + kBegin.size());
    place_ = Place::kThought;
    return true;
  }
  if (may_begin && kBegin.starts_with(rest)) return false;
  place_ = Place::kText;
  return true;
}

bool ThinkFilter::take_thought(std::vector<Piece>& pieces) {
  const auto end = held_.find(kEnd);
  const std::size_t size = end != std::string::npos ? end : held_.size() - begun_mark(held_, kEnd);
  if (size > 0) pieces.push_back({true, held_.substr(0, size)});
  held_.erase(0, end != std::string::npos ? end + kEnd.size() : size);
  if (end == std::string::npos) return false;
  place_ = Place::kAfterThought;
  return true;
}

bool ThinkFilter::take_text(std::vector<Piece>& pieces) {
  // The blank lines between a thought and the answer belong to neither.
  if (place_ == Place::kAfterThought) held_.erase(0, std::min(held_.find_first_not_of(kSpace), held_.size()));
  if (held_.empty()) return false;
  place_ = Place::kText;
  pieces.push_back({false, std::exchange(held_, {})});
  return false;
}

}  // namespace braidlog::provider
