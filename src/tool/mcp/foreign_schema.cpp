#include "tool/mcp/foreign_schema.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kNodesMax = 5'000;  // with every reference followed
constexpr std::size_t kDepthMax = 64;
// Nodes of a schema times nodes of a value: a second at the very worst, and mostly far less.
constexpr std::size_t kWorkMax = 2'000'000;
constexpr std::size_t kBytesPerNode = 32;  // of a string, which is looked at as a whole

using Names = std::string_view;
// Members that are left to the server. A format is a regular expression too.
constexpr std::array<Names, 4> kDropped = {"pattern", "patternProperties", "format", "uniqueItems"};
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

bool has_dropped(const json::value& node) {
  if (const auto* array = node.if_array()) {
    for (const auto& item : *array) {
      if (has_dropped(item)) return true;
    }
  }
  const auto* object = node.if_object();
  if (object == nullptr) return false;
  for (const auto& member : *object) {
    // An argument of that name is a schema, and mostly an object.
    const bool is_argument = member.value().is_object() && member.key() != "patternProperties";
    if ((is_one_of(kDropped, member.key()) && !is_argument) || has_dropped(member.value())) return true;
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
    if (is_one_of(kDropped, key) || is_one_of(kTurning, key)) continue;
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

bool take(std::size_t string_bytes, std::size_t& left) {
  const std::size_t own = 1 + string_bytes / kBytesPerNode;
  if (own > left) return false;
  left -= own;
  return true;
}

// False: there are more nodes than `left`, from which they are taken.
bool takes_at_most(const json::value& value, std::size_t& left) {
  const auto* string = value.if_string();
  if (!take(string == nullptr ? 0 : string->size(), left)) return false;
  if (const auto* array = value.if_array()) {
    return std::ranges::all_of(*array, [&](const json::value& item) { return takes_at_most(item, left); });
  }
  const auto* object = value.if_object();
  return object == nullptr || std::ranges::all_of(*object, [&](const auto& member) {
           return take(member.key().size(), left) && takes_at_most(member.value(), left);
         });
}

}  // namespace

Status ForeignSchema::check(const json::value& value) const {
  std::size_t left = kWorkMax / nodes_;
  return takes_at_most(value, left) ? schema_.check(value) : Status{};
}

Result<ForeignSchema> compile_foreign(const json::object& schema) {
  const json::value document = has_dropped(schema) ? loosened(schema) : json::value(schema);
  std::size_t left = kNodesMax;
  if (!unfolds(document, document, left, 0)) {
    return fail(ErrorCode::kBadField, "the schema refers to itself, leads outside or is too large");
  }
  auto compiled = Schema::compile(to_json(document));
  if (!compiled) return fail(std::move(compiled.error()));
  return ForeignSchema(std::move(*compiled), kNodesMax - left);
}

}  // namespace braidlog::tool::mcp
