// How this server is doing, in figures that are true at the moment of asking. Totals count from the start of the
// process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace braidlog::api {

// How many of the commits took at most `us` microseconds.
struct CommitBucket {
  std::uint64_t us = 0;
  std::uint64_t count = 0;
};

// What the store has written.
struct StoreFigures {
  std::uint64_t commits_total = 0;
  std::uint64_t events_total = 0;
  std::uint64_t runs_completed_total = 0;
  std::uint64_t runs_failed_total = 0;
  std::uint64_t runs_interrupted_total = 0;
  std::uint64_t commit_us_total = 0;           // the time of all commits together
  std::vector<CommitBucket> commit_buckets{};  // by their time; each counts those before it too
};

struct ServerFigures {
  WallTime at;
  std::string version;
  std::uint64_t uptime_seconds = 0;
  bool store_healthy = true;
  bool draining = false;
  std::uint64_t runs_open = 0;
  std::uint64_t streams_open = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t requests_total = 0;
  std::uint64_t bad_requests_total = 0;
  std::uint64_t streams_stalled_total = 0;
  std::uint64_t sent_bytes_total = 0;
  std::uint64_t resident_bytes = 0;
  StoreFigures store{};
};

// For admins: kForbidden.
struct GetSystem {
  using ReplyValue = ServerFigures;
};

}  // namespace braidlog::api
