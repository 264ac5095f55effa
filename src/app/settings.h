// The settings of `serve` one by one, as text becomes a value. Each gives kBadField with one line that names the
// setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace braidlog::app {

// "127.0.0.1:8000", "[::1]:8000", "localhost:0".
Status set_listen(const std::string& text, ServeOptions& options);
Status set_metrics_listen(const std::string& text, ServeOptions& options);
Status set_alert_webhook(const std::string& text, ServeOptions& options);
Status set_durability(const std::string& text, ServeOptions& options);
Status set_retention(const std::string& text, ServeOptions& options);
Status set_log_level(const std::string& text, ServeOptions& options);

// "https://app.example", "http://localhost:5173": takes the place of what was there.
Status set_allowed_origins(const std::vector<std::string>& texts, ServeOptions& options);
// "10.0.0.0/8", "::1": takes the place of what was there.
Status set_trusted_proxies(const std::vector<std::string>& texts, ServeOptions& options);
Status set_allowed_addresses(const std::vector<std::string>& texts, ServeOptions& options);

Result<unsigned> parse_number(const std::string& text, const char* name);

// What was given as a flag, else in the environment.
std::optional<std::string> given(const std::string& flag, const char* variable);

}  // namespace braidlog::app
