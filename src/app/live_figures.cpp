#include "app/live_figures.h"

#include <unistd.h>

#include <fstream>

#include "base/version.h"

namespace braidlog::app {

namespace {

// The second number of /proc/self/statm, in pages. The kernel makes the text while it is read: nothing blocks.
std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

ServerFigures LiveFigures::figures() const {
  ServerFigures now;
  now.at = clock_.wall();
  now.version = kVersion;
  now.uptime_seconds = static_cast<std::uint64_t>((clock_.mono().ms - started_at_.ms) / 1000);
  now.resident_bytes = resident_bytes();
  if (engine_ == nullptr || http_ == nullptr || store_ == nullptr) return now;
  now.store_healthy = engine_->store.healthy();
  now.draining = engine_->draining;
  for (const RunHost* host : engine_->shards.all()) now.runs_open += host->open_runs();
  const NetStats net = http_->stats();
  now.streams_open = static_cast<std::uint64_t>(net.streams_open);
  now.connections_open = static_cast<std::uint64_t>(net.connections_open);
  now.requests_total = net.requests;
  now.bad_requests_total = net.bad_requests;
  now.streams_stalled_total = net.streams_stalled;
  now.sent_bytes_total = net.bytes_sent;
  now.store = store_->figures();
  return now;
}

}  // namespace braidlog::app
