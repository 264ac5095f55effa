#include "port/run_search.h"

#include <string.h>

#include <algorithm>

#include "base/utf8.h"

namespace braidlog {

namespace {

constexpr std::size_t kIdPartMin = 6;  // "run_" is in all of them, and two letters are in many

bool is_of_ids(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

RunWords::RunWords(std::string_view words)
    : folded_(fold_case(words)),
      id_(parse_id(words)),
      may_be_of_id_(folded_.size() >= kIdPartMin && std::ranges::all_of(folded_, is_of_ids)) {}

bool RunWords::fit(const Run& run) {
  if (folded_.empty()) return true;
  if (stand_in(run.agent) || stand_in(run.title) || stand_in(run.text)) return true;
  if (id_ && (*id_ == run.id.value || *id_ == run.session_id.value)) return true;
  return may_be_of_id_ && (stand_in(to_prefixed(run.id)) || stand_in(to_prefixed(run.session_id)));
}

// A search may look at tens of thousands of texts, and most of them are plain ASCII: a loop that a compiler can make
// wide.
bool RunWords::stand_in(std::string_view text) {
  text_.resize(text.size());
  unsigned char bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    bits |= c;
    text_[i] = static_cast<char>(c + (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
  }
  if (bits >= 0x80) text_ = fold_case(text);
  return ::memmem(text_.data(), text_.size(), folded_.data(), folded_.size()) != nullptr;
}

}  // namespace braidlog
