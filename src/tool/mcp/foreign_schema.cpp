#include "tool/mcp/foreign_schema.h"

#include <array>
#include <string_view>

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kNodesMax = 5'000;  // with every reference followed
constexpr std::size_t kDepthMax = 64;

using Names = std::string_view;
// Members that are data and not schemas.
constexpr std::array<Names, 4> kData = {"const", "enum", "default", "examples"};
// Members whose own members are schemas, by names that are not keywords.
constexpr std::array<Names, 4> kMaps = {"properties", "$defs", "definitions", "dependentSchemas"};
// Where a schema that accepts more makes the whole accept less.
constexpr std::array<Names, 8> kTurning = {"not",   "if",       "then",          "else",
                                           "oneOf", "contains", "propertyNames", "dependencies"};

template <std::size_t n>
bool is_one_of(const std::array<Names, n>& names, std::string_view name) {
  for (const auto known : names) {
    if (known == name) return true;
  }
  return false;
}

// Counts what a validator would look at, at most. False: without end, or nearly.
bool unfolds(const json::value& document, const json::value& node, std::size_t& left, std::size_t depth) {
  if (left == 0 || depth > kDepthMax) return false;
  --left;
  if (const auto* array = node.if_array()) {
    for (const auto& item : *array) {
      if (!unfolds(document, item, left, depth + 1)) return false;
    }
    return true;
  }
  const auto* object = node.if_object();
  if (object == nullptr) return true;
  for (const auto& member : *object) {
    if (member.key() == "$ref" && member.value().is_string()) {
      const std::string_view ref = member.value().get_string();
      boost::system::error_code error;
      const json::value* target = ref.starts_with("#/") ? document.find_pointer(ref.substr(1), error) : nullptr;
      if (target == nullptr || !unfolds(document, *target, left, depth + 1)) return false;
    } else if (!unfolds(document, member.value(), left, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool has_patterns(const json::value& node) {
  if (const auto* array = node.if_array()) {
    for (const auto& item : *array) {
      if (has_patterns(item)) return true;
    }
  }
  const auto* object = node.if_object();
  if (object == nullptr) return false;
  for (const auto& member : *object) {
    // An argument of that name is a schema, not a string.
    if (member.key() == "pattern" && member.value().is_string()) return true;
    if (member.key() == "patternProperties" || has_patterns(member.value())) return true;
  }
  return false;
}

json::value loosened(const json::value& node) {
  if (const auto* array = node.if_array()) {
    json::array out;
    for (const auto& item : *array) out.push_back(loosened(item));
    return out;
  }
  const auto* object = node.if_object();
  if (object == nullptr) return node;
  const bool has_named = object->contains("patternProperties");
  json::object out;
  for (const auto& member : *object) {
    const std::string_view key = member.key();
    if (key == "pattern" || key == "patternProperties" || is_one_of(kTurning, key)) continue;
    if (has_named && (key == "additionalProperties" || key == "unevaluatedProperties")) continue;
    if (is_one_of(kData, key)) {
      out[key] = member.value();
    } else if (is_one_of(kMaps, key) && member.value().is_object()) {
      json::object inner;
      for (const auto& entry : member.value().get_object()) inner[entry.key()] = loosened(entry.value());
      out[key] = std::move(inner);
    } else {
      out[key] = loosened(member.value());
    }
  }
  return out;
}

}  // namespace

json::value without_patterns(const json::object& schema) {
  return has_patterns(schema) ? loosened(schema) : json::value(schema);
}

Result<Schema> compile_foreign(const json::object& schema) {
  const json::value document = without_patterns(schema);
  std::size_t left = kNodesMax;
  if (!unfolds(document, document, left, 0)) {
    return fail(ErrorCode::kBadField, "the schema refers to itself, leads outside or is too large");
  }
  return Schema::compile(to_json(document));
}

}  // namespace braidlog::tool::mcp
