// The server's own log: one line per happening on stderr, as `key=value` pairs that a program can read.
// Values are quoted and escaped, so nothing from outside can forge a line.
//
//   log_info("viewer closed", {{"run", to_prefixed(id)}, {"reason", "stalled"}});
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace braidlog {

using LogFields = std::initializer_list<std::pair<std::string_view, std::string>>;

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// Called once at start-up; the default level is info.
void set_log_level(LogLevel level);

void log_debug(std::string_view message, LogFields fields = {});
void log_info(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});

}  // namespace braidlog
