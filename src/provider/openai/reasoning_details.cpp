#include "provider/openai/reasoning_details.h"

#include <utility>

#include "provider/opaque_blob.h"

namespace braidlog::provider {

namespace {

constexpr std::string_view kTexts[] = {"text", "summary"};

bool is_text(std::string_view key) {
  return key == kTexts[0] || key == kTexts[1];
}

bool goes_on(const json::object& last, const json::object& next) {
  const auto type = string_in(last, "type");
  return !type.empty() && type != "reasoning.encrypted" && type == string_in(next, "type") &&
         count_in(last, "index") == count_in(next, "index");
}

void join(json::object& last, const json::object& next) {
  for (const auto& [key, value] : next) {
    auto* known = last.if_contains(key);
    if (known != nullptr && known->is_string() && value.is_string() && is_text(key)) {
      known->get_string().append(value.get_string());
    } else if (!value.is_null()) {
      last[key] = value;
    }
  }
}

}  // namespace

std::string text_of_details(std::string_view details_json) {
  std::string text;
  const auto parsed = parse_json(details_json);
  if (!parsed || !parsed->is_array()) return text;
  for (const auto& detail : parsed->get_array()) {
    if (!detail.is_object()) continue;
    for (const auto key : kTexts) text += string_in(detail.get_object(), key);
  }
  return text;
}

json::array joined_details(std::string_view elements_json) {
  json::array joined;
  auto parsed = parse_json("[" + std::string(elements_json) + "]");
  if (!parsed) return joined;
  for (auto& element : parsed->get_array()) {
    if (!element.is_object()) continue;
    if (!joined.empty() && goes_on(joined.back().get_object(), element.get_object())) {
      join(joined.back().get_object(), element.get_object());
    } else {
      joined.push_back(std::move(element));
    }
  }
  return joined;
}

}  // namespace braidlog::provider
