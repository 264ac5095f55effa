// When a session was used last changes with every run, and two lists are ordered by it. Their indexes hold only the
// period of 8.192 seconds that the time is in, the column `period`: most runs leave it as it was, and their session
// where it stands. A list sorts the few sessions of one period when it comes to it, so its order is that of the times.
#pragma once

#include "base/clock.h"

namespace braidlog::store {

inline bool is_same_period(WallTime a, WallTime b) {
  return a.ms >> 13 == b.ms >> 13;
}

}  // namespace braidlog::store

// The period of a time, both SQL. Whoever writes session.updated_at writes session.period too.
#define BRAIDLOG_PERIOD_OF(time) "(" time " >> 13)"
