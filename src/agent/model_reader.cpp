#include "agent/model_reader.h"

#include <charconv>
#include <utility>

#include "agent/value_reader.h"
#include "wire/url.h"

namespace braidlog::agent {

namespace {

constexpr double kTemperatureMax = 2.0;
constexpr std::size_t kFallbacksMax = 8;

class ModelReader {
 public:
  ModelReader(const Vocabulary& vocabulary, Faults& faults, bool is_fallback)
      : vocabulary_(vocabulary), faults_(faults), is_fallback_(is_fallback) {}

  api::ModelSpec read(const YAML::Node& node) {
    const std::size_t faults_before = faults_.size();
    YamlMap map(node, is_fallback_ ? "a model of 'fallback'" : "'model'", faults_);
    if (auto provider = map.take("provider")) read_provider(*provider);
    if (auto name = map.take_string("name")) model_.name = std::move(*name);
    if (auto temperature = map.take("temperature")) read_temperature(*temperature);
    if (auto pace = map.take("pace")) model_.pace = read_duration(*pace, "pace", faults_);
    if (auto fail = map.take("fail")) read_fail(*fail);
    if (auto count = map.take("max_tokens")) model_.max_tokens = read_count(*count, "max_tokens");
    if (auto count = map.take("context_tokens")) model_.context_tokens = read_count(*count, "context_tokens");
    if (auto url = map.take("base_url")) read_base_url(*url);
    if (auto variable = map.take("api_key_env")) read_api_key_env(*variable);
    if (auto value = map.take("returns_reasoning")) read_returns_reasoning(*value);
    const auto fallback = map.take("fallback");
    map.finish();
    if (faults_.size() == faults_before) ask_the_maker(node);
    if (fallback) read_fallback(*fallback);
    return std::move(model_);
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }

  void ask_the_maker(const YAML::Node& node) {
    if (!vocabulary_.check_model) return;
    if (auto good = vocabulary_.check_model(model_); !good) fault(node, good.error().message);
  }

  void read_provider(const YAML::Node& node) {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    if (name != "auto" && name != "offline" && name != "openai" && name != "anthropic") {
      return fault(node, "'provider' must be auto, offline, openai or anthropic");
    }
    model_.provider = name;
  }

  // `auto` takes server and key from the environment, so that a key never goes to a server it is not for.
  bool names_its_server(const YAML::Node& node, const std::string& key) {
    if (model_.provider == "openai" || model_.provider == "anthropic") return true;
    fault(node, "'" + key + "' needs 'provider: openai' or 'provider: anthropic'");
    return false;
  }

  void read_base_url(const YAML::Node& node) {
    if (!node.IsScalar() || !is_base_url(node.Scalar())) {
      return fault(node, "'base_url' " + std::string(kBaseUrlRule));
    }
    if (names_its_server(node, "base_url")) model_.base_url = node.Scalar();
  }

  void read_api_key_env(const YAML::Node& node) {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    // The name alone is asked for, and a key that is written here by mistake is not repeated.
    if (!is_variable_name(name)) return fault(node, "'api_key_env' must be the name of an environment variable");
    if (names_its_server(node, "api_key_env")) model_.api_key_env = name;
  }

  void read_returns_reasoning(const YAML::Node& node) {
    const auto value = read_boolean(node, "returns_reasoning", faults_);
    if (!value) return;
    if (model_.provider != "openai" && model_.provider != "auto") {
      return fault(node, "'returns_reasoning' is for 'provider: openai'");
    }
    model_.returns_reasoning = *value;
  }

  std::optional<unsigned> read_count(const YAML::Node& node, const std::string& what) {
    const auto count = whole_number(node);
    if (count && *count >= 1) return count;
    fault(node, "'" + what + "' must be a number from 1");
    return std::nullopt;
  }

  void read_temperature(const YAML::Node& node) {
    double value = -1;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    if (!whole || !(value >= 0 && value <= kTemperatureMax)) {
      return fault(node, "'temperature' must be a number from 0 to 2");
    }
    model_.temperature = value;
  }

  void read_fail(const YAML::Node& node) {
    const std::string kind = node.IsScalar() ? node.Scalar() : "";
    if (!contains(vocabulary_.failure_kinds, kind)) {
      return fault(node, "'fail' must be one of " + listed(vocabulary_.failure_kinds));
    }
    model_.fail = kind;
  }

  void read_fallback(const YAML::Node& node) {
    if (is_fallback_) return fault(node, "a model of 'fallback' has no 'fallback' of its own: list them all in one");
    if (!node.IsSequence() || node.size() < 1 || node.size() > kFallbacksMax) {
      return fault(node, "'fallback' must be a list of 1 to 8 models, as in [{provider: openai, name: NAME}]");
    }
    for (const auto& item : node) model_.fallback.push_back(ModelReader(vocabulary_, faults_, true).read(item));
  }

  const Vocabulary& vocabulary_;
  Faults& faults_;
  const bool is_fallback_;
  api::ModelSpec model_;
};

}  // namespace

api::ModelSpec read_model(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults) {
  return ModelReader(vocabulary, faults, false).read(node);
}

}  // namespace braidlog::agent
