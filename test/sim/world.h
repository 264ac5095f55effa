// What all parts of one simulation share, and what a crash of the server leaves alone: chance, time, the disk, and the
// first promise that was found broken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/fake_loop.h"
#include "port/testing/memory_tables.h"
#include "profile.h"
#include "random.h"
#include "story.h"
#include "trace.h"

namespace braidlog::sim {

struct World {
  World(std::uint64_t seed, bool traced) : random(seed), profile(Profile::draw(random)), trace(clock, traced) {}

  // A promise is broken. The simulation stops after the current step; only the first counts.
  template <class... Parts>
  void violate(const Parts&... parts) {
    if (violation) return;
    violation = trace.text(parts...);
    trace.say("BROKEN", *violation);
  }

  // A client has heard of the session.
  void know(SessionId id) {
    if (std::ranges::find(sessions, id) == sessions.end()) sessions.push_back(id);
  }

  Random random;
  testing::FakeClock clock;
  Profile profile;
  Trace trace;
  testing::MemoryTables tables;

  bool disk_refuses = false, reads_fail = false;
  bool two_owners = false;  // a second server has claimed runs of the first
  bool draining = false;
  bool is_disturbed() const { return disk_refuses || reads_fail || two_owners || draining; }
  std::uint64_t troubles = 0;  // how often something went wrong so far: an answer may be 5xx only after one
  std::uint64_t last_token = 0, last_task = 0;
  std::uint64_t last_text = 0;      // of the messages that clients send, which are all different
  std::vector<SessionId> sessions;  // those that a client was told of, deleted ones too
  // Somebody deleted a session that was known.
  bool has_deletions() const {
    return std::ranges::any_of(sessions, [&](SessionId id) { return !tables.sessions.contains(id); });
  }
  CodedAnswers coded;
  std::int64_t live_model_calls = 0, live_tool_runs = 0, live_sandboxes = 0;
  std::optional<std::string> violation;
};

}  // namespace braidlog::sim
