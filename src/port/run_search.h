// A search for runs, and what its words mean: the same in every store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "event/run_state.h"

namespace braidlog {

struct RunQuery {
  std::optional<std::string> user_id{};  // none: of all
  std::optional<SessionId> session_id{};
  std::optional<RunStatus> status{};
  std::string agent{};  // empty: any
  std::string words{};  // empty: anything
  std::optional<RunId> before{};
  std::uint32_t limit = 50;
  // A store looks at so many runs and no more; then the answer says where the search goes on.
  std::uint32_t looked_at_max = 20'000;
};

// How much of a text is kept with its run, to be shown and searched.
inline constexpr std::size_t kRunTextCodePointsMax = 200;

// One thread.
class RunWords {
 public:
  explicit RunWords(std::string_view words);

  struct Run {
    RunId id;
    SessionId session_id;
    std::string_view agent, title, text;
  };
  // Whether the words, as a whole, stand in one of the texts or in one of the ids as it is usually written, whatever
  // the case. An id in another of its spellings is found too, when all of it is there.
  bool fit(const Run& run);

 private:
  bool stand_in(std::string_view text);

  const std::string folded_;
  const std::optional<Id128> id_;
  const bool may_be_of_id_;  // nothing in it that no id has, and long enough to be no chance
  std::string text_{};       // the one that is looked at, in small letters
};

}  // namespace braidlog
