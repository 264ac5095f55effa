#include "agent/yaml_json.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace braidlog::agent {

namespace {

constexpr unsigned kDepthMax = 32;
constexpr std::size_t kValuesMax = 10'000;  // a few aliases of aliases make billions

template <class T>
std::optional<T> whole(std::string_view text, int base = 10) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<json::value> number(std::string_view text) {
  if (text.starts_with("0x")) {
    const auto value = whole<std::uint64_t>(text.substr(2), 16);
    return value ? std::optional<json::value>(*value) : std::nullopt;
  }
  if (text.starts_with("0o")) {
    const auto value = whole<std::uint64_t>(text.substr(2), 8);
    return value ? std::optional<json::value>(*value) : std::nullopt;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  if (const auto value = whole<std::int64_t>(text)) return json::value(*value);
  if (const auto value = whole<std::uint64_t>(text)) return json::value(*value);
  // from_chars also reads "inf", "nan" and hexadecimal digits' kin: only what begins like a number is one.
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !(digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'))) return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return json::value(value);
}

class Converter {
 public:
  explicit Converter(Faults& faults) : faults_(faults) {}

  std::optional<json::value> convert(const YAML::Node& node, unsigned depth = 0) {
    if (depth > kDepthMax) return fault(node, "this is deeper than 32 levels");
    if (++values_ > kValuesMax) return fault(node, "this holds more than 10000 values");
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: return json::value(nullptr);
      case YAML::NodeType::Scalar: return scalar(node);
      case YAML::NodeType::Sequence: return sequence(node, depth);
      case YAML::NodeType::Map: return mapping(node, depth);
    }
    return std::nullopt;
  }

 private:
  // One fault is enough: what is too large has it in a thousand places.
  std::nullopt_t fault(const YAML::Node& node, std::string_view what) {
    faults_.add(node.Mark(), what);
    return std::nullopt;
  }

  std::optional<json::value> scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::value(json::string(text));
    if (node.Tag() != "?" && !node.Tag().empty()) return fault(node, "tags are not known here");
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return json::value(nullptr);
    if (text == "true" || text == "True" || text == "TRUE") return json::value(true);
    if (text == "false" || text == "False" || text == "FALSE") return json::value(false);
    if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") {
      return fault(node, "JSON has no such number");
    }
    if (auto value = number(text)) return value;
    return json::value(json::string(text));
  }

  std::optional<json::value> sequence(const YAML::Node& node, unsigned depth) {
    json::array array;
    for (const auto& item : node) {
      auto value = convert(item, depth + 1);
      if (!value) return std::nullopt;
      array.push_back(std::move(*value));
    }
    return json::value(std::move(array));
  }

  std::optional<json::value> mapping(const YAML::Node& node, unsigned depth) {
    json::object object;
    for (const auto& [key, node_of_key] : YamlMap(node, "this", faults_).take_rest()) {
      auto value = convert(node_of_key, depth + 1);
      if (!value) return std::nullopt;
      object.emplace(key.Scalar(), std::move(*value));
    }
    return json::value(std::move(object));
  }

  Faults& faults_;
  std::size_t values_ = 0;
};

}  // namespace

std::optional<json::value> yaml_to_json(const YAML::Node& node, Faults& faults) {
  return Converter(faults).convert(node);
}

}  // namespace braidlog::agent
