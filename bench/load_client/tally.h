// What a load client has seen: counts, and the delays of stamped tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load_client/conductor.h"
#include "load_client/run_client.h"

namespace bench {

class Tally {
 public:
  // From the first call on the clock runs.
  void begin();
  void count(const RunClient::Stream& stream);

  std::uint64_t streams() const { return streams_; }
  double seconds() const;

  // The clock stops here.
  void add_to(JsonLine& line) const;

 private:
  std::int64_t begun_ns_ = 0;
  double cpu_before_ = 0;
  std::uint64_t streams_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t faults_ = 0;
  std::string first_fault_;
};

// The time from the upstream's stamp in a token to its arrival here.
class Delays {
 public:
  // A frame without a stamp counts for nothing.
  void note(std::string_view frame);
  // p50, p90, p99 and the longest, in milliseconds.
  void add_to(JsonLine& line);

 private:
  std::vector<std::int64_t> delays_ns_;
};

bool has_stamp(std::string_view frame);

}  // namespace bench
