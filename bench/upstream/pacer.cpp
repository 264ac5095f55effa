#include "upstream/pacer.h"

#include <algorithm>
#include <utility>

#include "wire/socket.h"

namespace bench {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

void Pacer::begin(ServerConnection& client, std::string_view model, const Plan& plan) {
  auto lane = lanes_.find(model);
  if (lane == lanes_.end()) {
    lane = lanes_.emplace(std::string(model), Lane{PacedCompletion(model), plan, {}}).first;
  }
  client.send(lane->second.completion.opening());
  const std::int64_t now = monotonic_ns();
  client.send(lane->second.completion.token(now));
  ++tokens_sent_;
  lane->second.streams.push_back({.due_ns = now + static_cast<std::int64_t>(plan.interval_ms) * kNsPerMs,
                                  .client = client.weak_from_this(),
                                  .tokens_left = plan.tokens - 1});
}

std::int64_t Pacer::send_due() {
  std::int64_t next = -1;
  for (auto& [model, lane] : lanes_) {
    std::int64_t now = monotonic_ns();
    while (!lane.streams.empty() && lane.streams.front().due_ns <= now) {
      serve_front(lane, now);
      now = monotonic_ns();
    }
    if (lane.streams.empty()) continue;
    const std::int64_t wait = std::max<std::int64_t>(lane.streams.front().due_ns - now, 0);
    next = next < 0 ? wait : std::min(next, wait);
  }
  return next;
}

void Pacer::serve_front(Lane& lane, std::int64_t now_ns) {
  Stream stream = std::move(lane.streams.front());
  lane.streams.pop_front();
  const auto client = stream.client.lock();
  if (!client || client->closed()) return;
  if (stream.tokens_left == 0) {
    client->send(lane.completion.closing(lane.plan.tokens));
    return;
  }
  client->send(lane.completion.token(now_ns));
  ++tokens_sent_;
  --stream.tokens_left;
  stream.due_ns += static_cast<std::int64_t>(lane.plan.interval_ms) * kNsPerMs;
  lane.streams.push_back(std::move(stream));
}

}  // namespace bench
