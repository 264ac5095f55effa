#include "app/serve_flags.h"

#include "app/settings.h"

namespace braidlog::app {

namespace {

// "a,b": for the environment, which has no lists.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0;;) {
    const auto comma = text.find(',', from);
    parts.push_back(text.substr(from, comma - from));
    if (comma == std::string::npos) return parts;
    from = comma + 1;
  }
}

std::vector<std::string> given_list(const std::vector<std::string>& flags, const char* variable) {
  if (!flags.empty()) return flags;
  const auto value = given("", variable);
  return value ? split(*value) : std::vector<std::string>();
}

Status apply_lists(ServeOptions& options, const ServeFlags& flags) {
  if (const auto origins = given_list(flags.allowed_origins, "BRAIDLOG_ALLOW_ORIGIN"); !origins.empty()) {
    if (auto set = set_allowed_origins(origins, options); !set) return set;
  }
  if (const auto proxies = given_list(flags.trusted_proxies, "BRAIDLOG_TRUSTED_PROXY"); !proxies.empty()) {
    if (auto set = set_trusted_proxies(proxies, options); !set) return set;
  }
  if (const auto addresses = given_list(flags.allowed_addresses, "BRAIDLOG_ALLOW_ADDRESS"); !addresses.empty()) {
    return set_allowed_addresses(addresses, options);
  }
  return {};
}

Status apply_environment(ServeOptions& options, const ServeFlags& flags) {
  if (flags.dev || given("", "BRAIDLOG_DEV") == "1") options.dev = true;
  if (const auto v = given(flags.data, "BRAIDLOG_DATA")) options.data = *v;
  if (const auto v = given(flags.agents, "BRAIDLOG_AGENTS")) options.agents = *v;
  if (flags.threads != 0) options.threads = flags.threads;
  if (const auto v = given("", "BRAIDLOG_OFFLINE_PACE")) {
    const auto pace = parse_number(*v, "BRAIDLOG_OFFLINE_PACE");
    if (!pace) return fail(pace.error());
    options.offline_pace = std::chrono::milliseconds(*pace);
  }
  struct Setting {
    const std::string& flag;
    const char* variable;
    Status (*set)(const std::string&, ServeOptions&);
  };
  const Setting settings[] = {{flags.listen, "BRAIDLOG_LISTEN", set_listen},
                              {flags.metrics_listen, "BRAIDLOG_METRICS_LISTEN", set_metrics_listen},
                              {flags.alert_webhook, "BRAIDLOG_ALERT_WEBHOOK", set_alert_webhook},
                              {flags.durability, "BRAIDLOG_DURABILITY", set_durability},
                              {flags.retention, "BRAIDLOG_RETENTION", set_retention},
                              {flags.log_level, "BRAIDLOG_LOG_LEVEL", set_log_level}};
  for (const auto& setting : settings) {
    const auto value = given(setting.flag, setting.variable);
    if (!value) continue;
    if (auto set = setting.set(*value, options); !set) return set;
  }
  return apply_lists(options, flags);
}

}  // namespace

void add_serve_flags(CLI::App& serve, ServeFlags& flags) {
  serve.add_option("--listen", flags.listen, "address to listen on (default 127.0.0.1:8000; port 0: any free one)");
  serve.add_option("--data", flags.data, "folder of the database and the workspaces (default ./braidlog-data)");
  serve.add_option("--agents", flags.agents, "folder with agent files; the built-in agents are there too");
  serve.add_option("--config", flags.config, "YAML file with the same settings, and limits");
  serve.add_option("--durability", flags.durability,
                   "full: what was shown survives a power cut (default); normal: a crash of the process");
  serve.add_option("--retention", flags.retention,
                   "how long the events of a finished run are kept, as 12h or 30d (default: for ever)");
  serve.add_flag("--dev", flags.dev,
                 "for one person on one machine: loopback only, and who shows no credential is the user demo");
  serve.add_option("--allow-origin", flags.allowed_origins,
                   "another site whose pages may call this server, and a name that this server goes by; repeatable");
  serve.add_option("--trusted-proxy", flags.trusted_proxies,
                   "address or network of a proxy whose X-Forwarded-For and -Proto count; repeatable");
  serve.add_option("--allow-address", flags.allowed_addresses,
                   "address or network that is not public and that tools may connect to all the same; repeatable");
  serve.add_option("--metrics-listen", flags.metrics_listen,
                   "another address, for GET /metrics alone, without a credential");
  serve.add_option("--alert-webhook", flags.alert_webhook,
                   "URL that gets a POST for each alert an agent raises (they are kept and at GET /alerts as well)");
  serve.add_option("--threads", flags.threads, "io threads (default: one per core)");
  serve.add_option("--log-level", flags.log_level, "debug, info, warn or error");
  serve.footer(
      "From the environment too: BRAIDLOG_LISTEN, _DATA, _AGENTS, _CONFIG, _DURABILITY, _RETENTION, _LOG_LEVEL, "
      "_METRICS_LISTEN, _ALERT_WEBHOOK, _DEV=1,\n"
      "and with commas between them _ALLOW_ORIGIN, _TRUSTED_PROXY, _ALLOW_ADDRESS.\n"
      "BRAIDLOG_OFFLINE_PACE=0 makes the offline model answer without pauses.\n\n"
      "Example:\n  braidlog serve --dev --data ./data\n  curl -s http://127.0.0.1:8000/health");
}

Result<ServeOptions> make_serve_options(const ServeFlags& flags) {
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

Result<std::string> find_data_folder(const std::string& flag) {
  if (const auto folder = given(flag, "BRAIDLOG_DATA")) return *folder;
  ServeOptions options;
  if (const auto file = given("", "BRAIDLOG_CONFIG")) {
    if (auto read = read_config(*file, options); !read) return fail(read.error());
  }
  return options.data;
}

}  // namespace braidlog::app
