// The history of one seed, in lines for people. Ids are shown by short names in the order of their appearance: s1 for a
// session, r1 for a run, a1 for an approval, c1 for a tool call.
//
//   step  time   who     what
//     41  1.250s store   r1 3..5 model.started text.started text.delta
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/ids.h"

namespace braidlog::sim {

class Trace {
 public:
  Trace(const Clock& clock, bool on) : clock_(clock), on_(on), began_(clock.mono()) {}

  // Text, numbers and ids, put together with nothing in between.
  template <class... Parts>
  void say(std::string_view who, const Parts&... parts) {
    if (!on_) return;
    const auto ms = clock_.mono().ms - began_.ms;
    std::printf("%6llu %4lld.%03llds %-7s %s\n", static_cast<unsigned long long>(step),
                static_cast<long long>(ms / 1000), static_cast<long long>(ms % 1000), std::string(who).c_str(),
                text(parts...).c_str());
  }
  template <class... Parts>
  std::string text(const Parts&... parts) {
    std::string out;
    (append(out, parts), ...);
    return out;
  }
  // Names must not depend on whether anybody reads the trace: whoever meets an id first names it.
  template <class Tag>
  const std::string& name(const Id<Tag>& id) {
    auto& name = names_[id.value];
    if (name.empty()) name = Tag::kPrefix[0] + std::to_string(++counts_[Tag::kPrefix[0]]);
    return name;
  }

  std::uint64_t step = 0;

 private:
  void append(std::string& out, std::string_view part) { out += part; }
  void append(std::string& out, std::integral auto part) { out += std::to_string(part); }
  template <class Tag>
  void append(std::string& out, const Id<Tag>& id) {
    out += name(id);
  }

  const Clock& clock_;
  const bool on_;
  const MonoTime began_;
  std::map<Id128, std::string> names_;
  std::map<char, int> counts_;
};

}  // namespace braidlog::sim
