// The flags of `braidlog serve`, and what they make together with the environment and the file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/options.h"

namespace braidlog::app {

// As given on the command line; empty when not given, so that the other sources can be asked first.
struct ServeFlags {
  std::string config, listen, data, agents, durability, retention, log_level, metrics_listen, alert_webhook;
  std::vector<std::string> allowed_origins, trusted_proxies, allowed_addresses;
  bool dev = false;
  unsigned threads = 0;
};

void add_serve_flags(CLI::App& serve, ServeFlags& flags);

Result<ServeOptions> make_serve_options(const ServeFlags& flags);

// The data folder that `serve` would use with this --data and the same environment.
Result<std::string> find_data_folder(const std::string& flag);

}  // namespace braidlog::app
