// Counts failures by key (a name, an address) and says how long the next try has to wait. Each key has a bucket that
// holds `failures_max` and empties evenly over `window`: a burst is let through, then as many as the bucket loses.
//
// Bounded: when there are too many keys, those that have emptied go, and then the one that is least full.
// Runs on: one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace braidlog::auth {

class Throttle {
 public:
  struct Rule {
    std::size_t failures_max = 10;
    std::chrono::milliseconds window{60'000};
    std::size_t keys_max = 10'000;
  };
  explicit Throttle(const Rule& rule) : rule_(rule) {}

  // How long until another failure would be let through; none: now.
  std::optional<std::chrono::milliseconds> wait(const std::string& key, MonoTime now) const;
  void add_failure(const std::string& key, MonoTime now);
  // Takes one back, or all.
  void forgive(const std::string& key, MonoTime now);
  void forget(const std::string& key) { buckets_.erase(key); }

  std::size_t keys() const { return buckets_.size(); }

 private:
  struct Bucket {
    double level = 0;
    MonoTime at;
  };
  double level(const Bucket& bucket, MonoTime now) const;
  double lost_per_ms() const;
  void make_room(MonoTime now);

  const Rule rule_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace braidlog::auth
