#include "auth/throttle.h"

#include <algorithm>
#include <cmath>

namespace braidlog::auth {

namespace {

constexpr double kRounding = 1e-6;  // of a millisecond: sums of fractions are a little more or less than whole

}  // namespace

double Throttle::lost_per_ms() const {
  return static_cast<double>(rule_.failures_max) / static_cast<double>(std::max<std::int64_t>(1, rule_.window.count()));
}

double Throttle::level(const Bucket& bucket, MonoTime now) const {
  return std::max(0.0, bucket.level - static_cast<double>(now.ms - bucket.at.ms) * lost_per_ms());
}

std::optional<std::chrono::milliseconds> Throttle::wait(const std::string& key, MonoTime now) const {
  const auto at = buckets_.find(key);
  if (at == buckets_.end()) return std::nullopt;
  const double over = level(at->second, now) + 1 - static_cast<double>(rule_.failures_max);
  if (over <= kRounding) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(over / lost_per_ms() - kRounding)));
}

void Throttle::add_failure(const std::string& key, MonoTime now) {
  if (!buckets_.contains(key) && buckets_.size() >= rule_.keys_max) make_room(now);
  Bucket& bucket = buckets_[key];
  bucket = {level(bucket, now) + 1, now};
}

void Throttle::forgive(const std::string& key, MonoTime now) {
  const auto at = buckets_.find(key);
  if (at == buckets_.end()) return;
  at->second = {std::max(0.0, level(at->second, now) - 1), now};
}

void Throttle::make_room(MonoTime now) {
  std::erase_if(buckets_, [&](const auto& entry) { return level(entry.second, now) == 0; });
  if (buckets_.size() < rule_.keys_max) return;
  buckets_.erase(std::ranges::min_element(buckets_, {}, [&](const auto& entry) { return level(entry.second, now); }));
}

}  // namespace braidlog::auth
