#include "app/settings.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/duration.h"
#include "wire/url.h"

namespace braidlog::app {

namespace {

Result<ListenAddress> parse_address(const std::string& text, const char* name) {
  const auto colon = text.rfind(':');
  const auto bad = fail(ErrorCode::kBadField, std::string(name) + ": expected ADDRESS:PORT, got '" + text + "'");
  if (colon == std::string::npos || colon == 0) return bad;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto port = parse_number(text.substr(colon + 1), name);
  if (!port || *port > 65535 || host.empty()) return bad;
  return ListenAddress{std::move(host), static_cast<std::uint16_t>(*port)};
}

// As a browser writes it: no path, not even "/".
bool is_origin(std::string_view text) {
  const auto host = text.find("://");
  return is_base_url(text) && text.find('/', host + 3) == std::string_view::npos;
}

Status set_networks(const std::vector<std::string>& texts, const char* name, std::vector<IpNetwork>& into) {
  std::vector<IpNetwork> networks;
  for (const std::string& text : texts) {
    const auto network = IpNetwork::parse(text);
    if (!network) {
      return fail(ErrorCode::kBadField,
                  std::string(name) + ": expected an address or a network such as 10.0.0.0/8, got '" + text + "'");
    }
    networks.push_back(*network);
  }
  into = std::move(networks);
  return {};
}

}  // namespace

Status set_listen(const std::string& text, ServeOptions& options) {
  auto address = parse_address(text, "listen");
  if (!address) return fail(address.error());
  options.host = std::move(address->host);
  options.port = address->port;
  return {};
}

Status set_metrics_listen(const std::string& text, ServeOptions& options) {
  auto address = parse_address(text, "metrics-listen");
  if (!address) return fail(address.error());
  options.metrics = std::move(*address);
  return {};
}

Status set_alert_webhook(const std::string& text, ServeOptions& options) {
  // Such an address may have a query, with a secret in it: it is not repeated here.
  const bool is_http = text.starts_with("http://") || text.starts_with("https://");
  if (!is_http || text.find_first_of(" \t\r\n") != std::string::npos) {
    return fail(ErrorCode::kBadField, "alert-webhook: expected a URL that begins with http:// or https://");
  }
  options.alert_webhook = text;
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

Status set_allowed_origins(const std::vector<std::string>& texts, ServeOptions& options) {
  for (const std::string& text : texts) {
    if (!is_origin(text)) {
      return fail(ErrorCode::kBadField,
                  "allow-origin: expected https://HOST or http://HOST:PORT without a path, got '" + text + "'");
    }
  }
  options.allowed_origins = texts;
  return {};
}

Status set_trusted_proxies(const std::vector<std::string>& texts, ServeOptions& options) {
  return set_networks(texts, "trusted-proxy", options.trusted_proxies);
}

Status set_allowed_addresses(const std::vector<std::string>& texts, ServeOptions& options) {
  return set_networks(texts, "allow-address", options.allowed_addresses);
}

Result<unsigned> parse_number(const std::string& text, const char* name) {
  unsigned value = 0;
  const auto end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) {
    return fail(ErrorCode::kBadField, std::string(name) + ": expected a number, got '" + text + "'");
  }
  return value;
}

std::optional<std::string> given(const std::string& flag, const char* variable) {
  if (!flag.empty()) return flag;
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace braidlog::app
