#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>

#include "app/options.h"
#include "app/settings.h"

namespace braidlog::app {

namespace {

class ConfigReader {
 public:
  ConfigReader(const std::string& file, ServeOptions& options) : file_(file), options_(options) {}

  Status read(const YAML::Node& root) {
    if (root.IsNull()) return {};
    if (!root.IsMap()) return bad(root, "expected settings as 'key: value' lines");
    for (const auto& entry : root) {
      if (auto set = setting(entry.first, entry.second); !set) return set;
    }
    return {};
  }

 private:
  Status bad(const YAML::Node& node, const std::string& message) const {
    return fail(ErrorCode::kBadField, file_ + ":" + std::to_string(node.Mark().line + 1) + ": " + message);
  }

  Status setting(const YAML::Node& key_node, const YAML::Node& value) {
    const auto key = key_node.as<std::string>();
    if (key == "limits") return limits(value);
    if (key == "allow-origin") return list(value, set_allowed_origins);
    if (key == "trusted-proxy") return list(value, set_trusted_proxies);
    if (key == "allow-address") return list(value, set_allowed_addresses);
    if (!value.IsScalar()) return bad(key_node, key + ": expected one value");
    const auto text = value.as<std::string>();
    Status set;
    if (key == "listen") {
      set = set_listen(text, options_);
    } else if (key == "metrics-listen") {
      set = set_metrics_listen(text, options_);
    } else if (key == "alert-webhook") {
      set = set_alert_webhook(text, options_);
    } else if (key == "durability") {
      set = set_durability(text, options_);
    } else if (key == "retention") {
      set = set_retention(text, options_);
    } else if (key == "log-level") {
      set = set_log_level(text, options_);
    } else if (key == "data") {
      options_.data = text;
    } else if (key == "agents") {
      options_.agents = text;
    } else if (key == "dev") {
      if (!YAML::convert<bool>::decode(value, options_.dev)) return bad(value, "dev: expected true or false");
    } else if (key == "threads") {
      if (!YAML::convert<unsigned>::decode(value, options_.threads)) return bad(value, "threads: expected a number");
    } else {
      return bad(key_node, "unknown setting '" + key + "'");
    }
    return set ? set : bad(value, set.error().message);
  }

  // One value, or a list of them.
  Status list(const YAML::Node& node, Status (*set_all)(const std::vector<std::string>&, ServeOptions&)) {
    if (!node.IsScalar() && !node.IsSequence()) return bad(node, "expected a value or a list of values");
    std::vector<std::string> texts;
    if (node.IsScalar()) texts.push_back(node.as<std::string>());
    for (const auto& item : node) {
      if (!item.IsScalar()) return bad(item, "expected one value");
      texts.push_back(item.as<std::string>());
    }
    auto set = set_all(texts, options_);
    return set ? set : bad(node, set.error().message);
  }

  Status limits(const YAML::Node& node) {
    if (!node.IsMap()) return bad(node, "limits: expected 'name: number' lines");
    const auto table = limits_table(options_.limits);
    for (const auto& entry : node) {
      const auto name = entry.first.as<std::string>();
      const auto row = std::ranges::find(table, name, &LimitRow::name);
      if (row == table.end()) return bad(entry.first, "unknown limit '" + name + "'");
      std::uint64_t value = 0;
      if (!entry.second.IsScalar() || !YAML::convert<std::uint64_t>::decode(entry.second, value)) {
        return bad(entry.second, name + ": expected a number of " + row->unit);
      }
      row->set(options_.limits, value);
    }
    return {};
  }

  const std::string& file_;
  ServeOptions& options_;
};

}  // namespace

Status read_config(const std::string& file, ServeOptions& options) {
  std::ifstream in(file);
  if (!in) return fail(ErrorCode::kBadField, file + ": cannot be read");
  try {
    return ConfigReader(file, options).read(YAML::Load(in));
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kBadField, file + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
}

}  // namespace braidlog::app
