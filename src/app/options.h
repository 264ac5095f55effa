// What the command line, the environment and the configuration file say. Flags win over the environment (BRAIDLOG_*),
// which wins over the file; unknown keys are errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/log.h"
#include "base/result.h"
#include "store/sqlite/database.h"

namespace braidlog::app {

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;
  std::string data = "braidlog-data";
  std::string agents;  // empty: the built-in ones alone
  store::Durability durability = store::Durability::kFull;
  std::chrono::milliseconds retention{0};  // of the events of finished runs; 0: for ever
  bool dev = false;
  std::vector<std::string> allowed_origins;
  unsigned threads = 0;  // 0: one per core
  LogLevel log_level = LogLevel::kInfo;
  std::optional<std::chrono::milliseconds> offline_pace;  // BRAIDLOG_OFFLINE_PACE
  Limits limits;
};

struct Command {
  enum class Kind { kServe, kAgentsCheck, kVersion, kLimits, kPrinted };
  Kind kind = Kind::kPrinted;  // kPrinted: help was asked for and shown
  ServeOptions serve;
  std::string folder;     // kAgentsCheck
  bool markdown = false;  // kLimits
};

// kBadField with one line that names the place.
Result<Command> parse_command_line(int argc, char** argv);

// The YAML file: the long flags without dashes as keys, and `limits:` with the names of base/limits.h. Each error is
// one line `file:line: …`.
Status read_config(const std::string& file, ServeOptions& options);

// "127.0.0.1:8000", "[::1]:8000", "localhost:0".
Status set_listen(const std::string& text, ServeOptions& options);
Status set_durability(const std::string& text, ServeOptions& options);
Status set_retention(const std::string& text, ServeOptions& options);
Status set_log_level(const std::string& text, ServeOptions& options);
bool is_loopback(const std::string& host);

}  // namespace braidlog::app
