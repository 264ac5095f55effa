#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/json.h"

namespace braidlog {

namespace {

// One stderr sink for the process: the only state of this file, made on first use and never replaced.
spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("braidlog", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
    return made;
  }();
  return *instance;
}

void write(spdlog::level::level_enum level, std::string_view message, LogFields fields) {
  if (!logger().should_log(level)) return;
  std::string line = "msg=";
  append_json_string(line, message);
  for (const auto& [key, value] : fields) {
    line += ' ';
    line += key;
    line += '=';
    append_json_string(line, value);
  }
  logger().log(level, line);
}

}  // namespace

void set_log_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: logger().set_level(spdlog::level::debug); return;
    case LogLevel::kInfo: logger().set_level(spdlog::level::info); return;
    case LogLevel::kWarn: logger().set_level(spdlog::level::warn); return;
    case LogLevel::kError: logger().set_level(spdlog::level::err); return;
  }
}

void log_debug(std::string_view message, LogFields fields) {
  write(spdlog::level::debug, message, fields);
}
void log_info(std::string_view message, LogFields fields) {
  write(spdlog::level::info, message, fields);
}
void log_warn(std::string_view message, LogFields fields) {
  write(spdlog::level::warn, message, fields);
}
void log_error(std::string_view message, LogFields fields) {
  write(spdlog::level::err, message, fields);
}

}  // namespace braidlog
