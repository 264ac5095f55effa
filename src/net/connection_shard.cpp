#include "net/connection_shard.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace braidlog {

namespace {

using std::chrono::milliseconds;

// Often enough that a limit is kept to a quarter of its length, and no more than that.
milliseconds sweep_interval(const Limits& limits) {
  const auto smallest = std::min({limits.header_timeout, limits.body_timeout, limits.idle_timeout,
                                  limits.keepalive_interval, limits.stall_timeout});
  return std::clamp(smallest / 4, milliseconds(5), milliseconds(1000));
}

}  // namespace

ConnectionShard::ConnectionShard(IoThread& thread, const Limits& limits)
    : thread_(thread),
      sweep_interval_(sweep_interval(limits)),
      ids_(thread.clock()),
      scratch_(std::make_unique<std::array<char, 64 * 1024>>()) {}

void ConnectionShard::start() {
  schedule_sweep();
}

void ConnectionShard::add(std::shared_ptr<HttpConnection> connection) {
  connections_.push_back(*connection);
  auto& listed = *connection;
  listed.keep_alive_by_shard(std::move(connection));
}

void ConnectionShard::remove(HttpConnection& connection) {
  connections_.erase(connections_.iterator_to(connection));
  connection.keep_alive_by_shard(nullptr);
}

void ConnectionShard::drain() {
  std::vector<std::shared_ptr<HttpConnection>> all;
  for (auto& connection : connections_) all.push_back(connection.shared_from_this());
  for (auto& connection : all) connection->drain();
}

void ConnectionShard::close() {
  is_closed_ = true;
  sweep_timer_.reset();
  // Whoever hears of one close may end other streams of this thread: always take the first that is left.
  while (!connections_.empty()) connections_.front().close();
}

void ConnectionShard::schedule_sweep() {
  sweep_timer_ = thread_.after(sweep_interval_, [this] { sweep(); });
}

void ConnectionShard::sweep() {
  const MonoTime time = now();
  // Acting on one connection may close others: collect first.
  std::vector<std::shared_ptr<HttpConnection>> due;
  for (auto& connection : connections_) {
    if (connection.is_due(time)) due.push_back(connection.shared_from_this());
  }
  for (auto& connection : due) {
    if (connection->is_due(time)) connection->on_due();
  }
  if (!is_closed_) schedule_sweep();
}

}  // namespace braidlog
