#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/duration.h"
#include "base/version.h"

namespace braidlog::app {

namespace {

// As given on the command line; empty when not given, so that the other sources can be asked first.
struct Flags {
  std::string config, listen, data, agents, durability, retention, log_level;
  std::vector<std::string> allowed_origins;
  bool dev = false;
  unsigned threads = 0;
};

void add_serve_flags(CLI::App& serve, Flags& flags) {
  serve.add_option("--listen", flags.listen, "address to listen on (default 127.0.0.1:8000; port 0: any free one)");
  serve.add_option("--data", flags.data, "folder of the database and the workspaces (default ./braidlog-data)");
  serve.add_option("--agents", flags.agents, "folder with agent files; the built-in agents are there too");
  serve.add_option("--config", flags.config, "YAML file with the same settings, and limits");
  serve.add_option("--durability", flags.durability,
                   "full: what was shown survives a power cut (default); normal: a crash of the process");
  serve.add_option("--retention", flags.retention,
                   "how long the events of a finished run are kept, as 12h or 30d (default: for ever)");
  serve.add_flag("--dev", flags.dev, "for one person on one machine: loopback only, everybody is the user demo");
  serve.add_option("--allow-origin", flags.allowed_origins,
                   "another site whose pages may call this server; repeatable");
  serve.add_option("--threads", flags.threads, "io threads (default: one per core)");
  serve.add_option("--log-level", flags.log_level, "debug, info, warn or error");
  serve.footer(
      "From the environment too: BRAIDLOG_LISTEN, _DATA, _AGENTS, _CONFIG, _DURABILITY, _RETENTION, _LOG_LEVEL, "
      "_DEV=1.\n"
      "BRAIDLOG_OFFLINE_PACE=0 makes the offline model answer without pauses.\n\n"
      "Example:\n  braidlog serve --dev --data ./data\n  curl -s http://127.0.0.1:8000/health");
}

// A flag, else the environment.
std::optional<std::string> given(const std::string& flag, const char* variable) {
  if (!flag.empty()) return flag;
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

Result<unsigned> number(const std::string& text, const char* name) {
  unsigned value = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) {
    return fail(ErrorCode::kBadField, std::string(name) + ": expected a number, got '" + text + "'");
  }
  return value;
}

Status apply_environment(ServeOptions& options, const Flags& flags) {
  if (flags.dev || given("", "BRAIDLOG_DEV") == "1") options.dev = true;
  if (const auto v = given(flags.data, "BRAIDLOG_DATA")) options.data = *v;
  if (const auto v = given(flags.agents, "BRAIDLOG_AGENTS")) options.agents = *v;
  if (flags.threads != 0) options.threads = flags.threads;
  if (!flags.allowed_origins.empty()) options.allowed_origins = flags.allowed_origins;
  if (const auto v = given("", "BRAIDLOG_OFFLINE_PACE")) {
    const auto pace = number(*v, "BRAIDLOG_OFFLINE_PACE");
    if (!pace) return fail(pace.error());
    options.offline_pace = std::chrono::milliseconds(*pace);
  }
  struct Setting {
    const std::string& flag;
    const char* variable;
    Status (*set)(const std::string&, ServeOptions&);
  };
  const Setting settings[] = {{flags.listen, "BRAIDLOG_LISTEN", set_listen},
                              {flags.durability, "BRAIDLOG_DURABILITY", set_durability},
                              {flags.retention, "BRAIDLOG_RETENTION", set_retention},
                              {flags.log_level, "BRAIDLOG_LOG_LEVEL", set_log_level}};
  for (const auto& setting : settings) {
    const auto value = given(setting.flag, setting.variable);
    if (!value) continue;
    if (auto set = setting.set(*value, options); !set) return set;
  }
  return {};
}

Result<ServeOptions> make_serve_options(const Flags& flags) {
  ServeOptions options;
  if (const auto file = given(flags.config, "BRAIDLOG_CONFIG")) {
    if (auto read = read_config(*file, options); !read) return fail(read.error());
  }
  if (auto applied = apply_environment(options, flags); !applied) return fail(applied.error());
  if (options.dev && !is_loopback(options.host)) {
    return fail(ErrorCode::kBadField,
                "--listen: --dev serves everybody as one user, so it listens on loopback only, not on " + options.host);
  }
  return options;
}

}  // namespace

Result<Command> parse_command_line(int argc, char** argv) {
  CLI::App app{"Braidlog runs LLM agents, keeps everything that happens in one durable log, and streams it.",
               "braidlog"};
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  Flags flags;
  Command command;
  CLI::App* serve = app.add_subcommand("serve", "run the server");
  add_serve_flags(*serve, flags);
  CLI::App* agents = app.add_subcommand("agents", "agent files")->require_subcommand(1);
  CLI::App* check = agents->add_subcommand("check", "read the agent files of a folder and say what is wrong with them");
  check->add_option("DIR", command.folder, "the folder")->required();
  CLI::App* limits = app.add_subcommand("limits", "print every limit with its default");
  limits->add_flag("--markdown", command.markdown, "as docs/limits.md");
  CLI::App* version = app.add_subcommand("version", "print the version");
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_named = [&](const CLI::App* subcommand) { return subcommand->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(commands, is_named)) {
    return fail(ErrorCode::kBadField, "unknown command '" + std::string(argv[1]) + "' (see braidlog --help)");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return command;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::kBadField, std::string(error.what()) + " (see braidlog --help)");
  }
  if (*version) command.kind = Command::Kind::kVersion;
  if (*limits) command.kind = Command::Kind::kLimits;
  if (*check) command.kind = Command::Kind::kAgentsCheck;
  if (*serve) {
    auto options = make_serve_options(flags);
    if (!options) return fail(options.error());
    command.kind = Command::Kind::kServe;
    command.serve = std::move(*options);
  }
  return command;
}

Status set_listen(const std::string& text, ServeOptions& options) {
  const auto colon = text.rfind(':');
  const auto bad = fail(ErrorCode::kBadField, "listen: expected ADDRESS:PORT, got '" + text + "'");
  if (colon == std::string::npos || colon == 0) return bad;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto port = number(text.substr(colon + 1), "listen");
  if (!port || *port > 65535 || host.empty()) return bad;
  options.host = host;
  options.port = static_cast<std::uint16_t>(*port);
  return {};
}

Status set_durability(const std::string& text, ServeOptions& options) {
  if (text == "full") {
    options.durability = store::Durability::kFull;
  } else if (text == "normal") {
    options.durability = store::Durability::kNormal;
  } else {
    return fail(ErrorCode::kBadField, "durability: expected full or normal, got '" + text + "'");
  }
  return {};
}

Status set_retention(const std::string& text, ServeOptions& options) {
  const auto duration = parse_duration(text);
  if (!duration || duration->count() == 0) {
    return fail(ErrorCode::kBadField, "retention: expected a duration such as 12h or 30d, got '" + text + "'");
  }
  options.retention = *duration;
  return {};
}

Status set_log_level(const std::string& text, ServeOptions& options) {
  if (text == "debug") {
    options.log_level = LogLevel::kDebug;
  } else if (text == "info") {
    options.log_level = LogLevel::kInfo;
  } else if (text == "warn") {
    options.log_level = LogLevel::kWarn;
  } else if (text == "error") {
    options.log_level = LogLevel::kError;
  } else {
    return fail(ErrorCode::kBadField, "log-level: expected debug, info, warn or error, got '" + text + "'");
  }
  return {};
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace braidlog::app
