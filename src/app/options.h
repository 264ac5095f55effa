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
#include "terminal/options.h"
#include "wire/ip_address.h"

namespace braidlog::app {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;
  std::string data = "braidlog-data";
  std::string agents;  // empty: the built-in ones alone
  store::Durability durability = store::Durability::kFull;
  std::chrono::milliseconds retention{0};  // of the events of finished runs; 0: for ever
  bool dev = false;
  std::vector<std::string> allowed_origins;
  std::vector<IpNetwork> trusted_proxies;
  std::vector<IpNetwork> allowed_addresses;  // not public, and tools may connect to them all the same
  std::optional<ListenAddress> metrics;      // a listener for /metrics alone
  std::string alert_webhook;                 // told of each alert; empty: nobody
  unsigned threads = 0;                      // 0: one per core
  LogLevel log_level = LogLevel::kInfo;
  std::optional<std::chrono::milliseconds> offline_pace;  // BRAIDLOG_OFFLINE_PACE
  Limits limits;
};

// `braidlog user …` and `braidlog key …`.
struct IdentityCommand {
  enum class Verb { kUserAdd, kUserList, kUserPassword, kUserDisable, kUserEnable, kKeyCreate, kKeyList, kKeyRevoke };
  Verb verb = Verb::kUserList;
  std::string data;     // the server's folder
  std::string subject;  // the user's name, or the id of the key; of kKeyList: may be empty
  bool is_admin = false;
  std::string label;
  std::optional<std::chrono::milliseconds> expires_in;
};

struct Command {
  enum class Kind { kServe, kAgentsCheck, kVersion, kLimits, kRoutes, kIdentity, kChat, kRuns, kPrinted };
  Kind kind = Kind::kPrinted;  // kPrinted: help was asked for and shown
  ServeOptions serve;
  IdentityCommand identity;
  terminal::ChatOptions chat;
  terminal::RunsOptions runs;
  std::string folder;     // kAgentsCheck
  bool markdown = false;  // kLimits
  bool json = false;      // kRoutes
};

// kBadField with one line that names the place.
Result<Command> parse_command_line(int argc, char** argv);

// The YAML file: the long flags without dashes as keys, and `limits:` with the names of base/limits.h. Each error is
// one line `file:line: …`.
Status read_config(const std::string& file, ServeOptions& options);

bool is_loopback(const std::string& host);

}  // namespace braidlog::app
