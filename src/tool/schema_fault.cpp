#include "tool/schema_fault.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kFaultsMax = 8;

bool has_type(const json::value& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_int64() || value.is_uint64();
  return true;  // not a type we know: not ours to explain
}

class Explainer {
 public:
  std::vector<std::string> take() { return std::move(faults_); }

  void explain(const json::value& schema, const json::value& value, const std::string& place) {
    const auto* rules = schema.if_object();
    if (rules == nullptr || faults_.size() >= kFaultsMax) return;
    if (!explain_type(*rules, value, place)) return;
    explain_enum(*rules, value, place);
    if (value.is_string()) explain_length(*rules, value.get_string(), place);
    if (value.is_number()) explain_bounds(*rules, value.to_number<double>(), place);
    if (const auto* object = value.if_object()) explain_object(*rules, *object, place);
    if (const auto* array = value.if_array()) explain_array(*rules, *array, place);
  }

 private:
  void add(const std::string& place, std::string what) {
    if (faults_.size() < kFaultsMax) faults_.push_back((place.empty() ? "arguments" : place) + ": " + what);
  }
  static std::string inside(const std::string& place, std::string_view name) {
    std::string out = place.empty() ? std::string() : place + ".";
    return out += name;
  }
  static const json::value* find(const json::object& rules, std::string_view name) { return rules.if_contains(name); }
  static std::optional<double> number(const json::object& rules, std::string_view name) {
    const auto* found = find(rules, name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    return found->to_number<double>();
  }
  static std::string show(const json::value& value) { return to_json(value); }

  // False when the value is of the wrong type, so that nothing else about it is worth saying.
  bool explain_type(const json::object& rules, const json::value& value, const std::string& place) {
    const auto* type = find(rules, "type");
    if (type == nullptr) return true;
    std::string expected;
    if (const auto* one = type->if_string()) {
      if (has_type(value, *one)) return true;
      expected = *one;
    } else if (const auto* several = type->if_array()) {
      for (const auto& item : *several) {
        if (!item.is_string() || has_type(value, item.get_string())) return true;
        if (!expected.empty()) expected += " or ";
        expected += item.get_string();
      }
    }
    if (expected.empty()) return true;
    add(place, "expected " + expected);
    return false;
  }

  void explain_enum(const json::object& rules, const json::value& value, const std::string& place) {
    const auto* allowed = find(rules, "enum");
    if (allowed == nullptr || !allowed->is_array()) return;
    std::string list;
    for (const auto& item : allowed->get_array()) {
      if (item == value) return;
      if (!list.empty()) list += ", ";
      list += show(item);
    }
    add(place, "expected one of " + list);
  }

  void explain_length(const json::object& rules, std::string_view text, const std::string& place) {
    const auto length = static_cast<double>(count_code_points(text));
    if (const auto min = number(rules, "minLength"); min && length < *min) {
      add(place,
          *min == 1 ? "must not be empty" : "must have at least " + show(*find(rules, "minLength")) + " characters");
    }
    if (const auto max = number(rules, "maxLength"); max && length > *max) {
      add(place, "must have at most " + show(*find(rules, "maxLength")) + " characters");
    }
  }

  void explain_bounds(const json::object& rules, double value, const std::string& place) {
    if (const auto min = number(rules, "minimum"); min && value < *min) {
      add(place, "must be at least " + show(*find(rules, "minimum")));
    }
    if (const auto max = number(rules, "maximum"); max && value > *max) {
      add(place, "must be at most " + show(*find(rules, "maximum")));
    }
  }

  void explain_object(const json::object& rules, const json::object& object, const std::string& place) {
    const auto* required = find(rules, "required");
    if (required != nullptr && required->is_array()) {
      for (const auto& name : required->get_array()) {
        if (name.is_string() && !object.contains(name.get_string())) {
          add(inside(place, name.get_string()), "is required");
        }
      }
    }
    const auto* properties = find(rules, "properties");
    const auto* known = properties == nullptr ? nullptr : properties->if_object();
    const auto* others = find(rules, "additionalProperties");
    const bool closed =
        others != nullptr && others->is_bool() && !others->get_bool() && find(rules, "patternProperties") == nullptr;
    for (const auto& member : object) {
      const auto* schema = known == nullptr ? nullptr : known->if_contains(member.key());
      if (schema != nullptr) {
        explain(*schema, member.value(), inside(place, member.key()));
      } else if (closed) {
        add(inside(place, utf8_prefix(member.key(), 80)), "unknown argument");
      }
    }
  }

  void explain_array(const json::object& rules, const json::array& array, const std::string& place) {
    const auto count = static_cast<double>(array.size());
    if (const auto min = number(rules, "minItems"); min && count < *min) {
      add(place, "must have at least " + show(*find(rules, "minItems")) + " items");
    }
    if (const auto max = number(rules, "maxItems"); max && count > *max) {
      add(place, "must have at most " + show(*find(rules, "maxItems")) + " items");
    }
    const auto* items = find(rules, "items");
    if (items == nullptr || !items->is_object()) return;
    for (std::size_t i = 0; i < array.size() && faults_.size() < kFaultsMax; ++i) {
      explain(*items, array[i], inside(place, std::to_string(i)));
    }
  }

  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_faults(const json::value& schema, const json::value& value) {
  Explainer explainer;
  explainer.explain(schema, value, "");
  return explainer.take();
}

}  // namespace braidlog::tool
