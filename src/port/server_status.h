// How this server is doing, in figures that are true at the moment of asking. Thread-safe; never blocks.
#pragma once

#include <cstdint>
#include <string>

namespace braidlog {

struct ServerFigures {
  std::string version;
  std::uint64_t uptime_seconds = 0;
  bool store_healthy = true;
  bool draining = false;
  std::uint64_t runs_open = 0;
  std::uint64_t streams_open = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t requests_total = 0;
  std::uint64_t resident_bytes = 0;
};

class ServerStatus {
 public:
  virtual ~ServerStatus() = default;
  virtual ServerFigures figures() const = 0;
};

}  // namespace braidlog
