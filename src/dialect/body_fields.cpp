#include "dialect/body_fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <utility>

namespace braidlog {

Result<BodyFields> BodyFields::read(std::string_view body, BodyPresence presence) {
  if (body.empty() && presence == BodyPresence::kOptional) return BodyFields(json::object());
  auto value = parse_json(body);
  if (!value) return fail(std::move(value.error()));
  if (!value->is_object()) return fail(ErrorCode::kBadField, "The body must be a JSON object");
  return BodyFields(std::move(value->get_object()));
}

Result<std::optional<std::string>> BodyFields::string(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return std::optional<std::string>();
  if (!value->is_string()) return bad_field(name, "must be a string");
  return std::optional(std::string(value->get_string()));
}

Result<std::optional<bool>> BodyFields::boolean(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return std::optional<bool>();
  if (!value->is_bool()) return bad_field(name, "must be true or false");
  return std::optional(value->get_bool());
}

Result<std::span<const json::value>> BodyFields::array(std::string_view name) const {
  const json::value* value = find(name);
  if (value == nullptr) return std::span<const json::value>();
  if (!value->is_array()) return bad_field(name, "must be a list");
  return std::span<const json::value>(value->get_array().data(), value->get_array().size());
}

const json::value* BodyFields::find(std::string_view name) const {
  const json::value* value = fields_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

tl::unexpected<Error> bad_field(std::string_view name, std::string_view rule) {
  return fail(ErrorCode::kBadField, "`" + std::string(name) + "` " + std::string(rule), std::string(name));
}

Status check_text(std::string_view name, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) return bad_field(name, "must have at most " + std::to_string(bytes_max) + " bytes");
  if (text.find('\0') != std::string_view::npos) return bad_field(name, "must not hold U+0000");
  return {};
}

}  // namespace braidlog
