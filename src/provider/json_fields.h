// Walking a JSON document with simdjson's on-demand interface, which reads it front to back and once. So each object is
// walked field by field, in the order in which the server wrote it, and every value is either taken or left alone.
// For the sources of parsers only.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "provider/provider_errors.h"

namespace braidlog::provider {

namespace od = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

// Calls `take(key, value)` for each field of an object. Anything but an object, null above all, counts as an empty one:
// servers send null for what they leave out.
template <class Take>
error_code each_field(od::value value, Take&& take) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::object) return SUCCESS;
  od::object object;
  if (auto error = value.get_object().get(object)) return error;
  for (auto field : object) {
    od::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    if (auto error = take(key, field.value().value_unsafe())) return error;
  }
  return SUCCESS;
}

// A string; empty for null and for anything else.
inline error_code take_string(od::value value, std::string_view& out) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::string) return SUCCESS;
  return value.get_string().get(out);
}

// The same, with where the string stands: at its first byte, after the quote.
inline error_code take_placed_string(od::value value, std::string_view& out, const char*& at) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::string) return SUCCESS;
  at = value.raw_json_token().data() + 1;
  return value.get_string().get(out);
}

// An object or an array as it stands in the JSON; a string by its value; empty for anything else.
inline error_code take_json(od::value value, std::string_view& out) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type == od::json_type::string) return value.get_string().get(out);
  if (type == od::json_type::object) {
    od::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json().get(out);
  }
  if (type == od::json_type::array) {
    od::array array;
    if (auto error = value.get_array().get(array)) return error;
    return array.raw_json().get(out);
  }
  return SUCCESS;
}

// A status as a number, or the word or number in a string that stands for one; what is known stays.
inline error_code take_error_status(od::value value, int& status) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  int found = 0;
  if (type == od::json_type::number) {
    std::uint64_t number = 0;
    if (value.get_uint64().get(number) == SUCCESS && number >= 400 && number <= 599) found = static_cast<int>(number);
  } else if (type == od::json_type::string) {
    std::string_view word;
    if (auto error = value.get_string().get(word)) return error;
    found = status_of_error_word(word);
  }
  if (found != 0) status = found;
  return SUCCESS;
}

// An `error` of a stream: {"code":429}, {"code":"rate_limit_exceeded"}, {"type":"overloaded_error"}, or a text that
// says nothing of this kind. Null is none.
inline error_code take_error(od::value value, bool& is_error, int& status) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  is_error = type != od::json_type::null;
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    const bool says_status = key == "code" || key == "type" || key == "status";
    return says_status ? take_error_status(field, status) : SUCCESS;
  });
}

// A parser with its memory. `json` is copied, because simdjson reads a little beyond the end of what it is given.
class PaddedParser {
 public:
  // False when it is no JSON object.
  bool begin(std::string_view json, od::document& document) {
    const std::size_t needed = json.size() + simdjson::SIMDJSON_PADDING;
    if (padded_.size() < needed) padded_.resize(needed);
    json.copy(padded_.data(), json.size());
    // What an earlier, longer document left here would close the braces of one that is cut.
    std::fill_n(padded_.data() + json.size(), simdjson::SIMDJSON_PADDING, '\0');
    if (parser_.iterate(padded_.data(), json.size(), padded_.size()).get(document)) return false;
    od::json_type type;
    return !document.type().get(type) && type == od::json_type::object;
  }
  // Where in the last `json` something stands that was found in it; 0: it was not.
  std::size_t place_of(const char* found) const {
    return found == nullptr ? 0 : static_cast<std::size_t>(found - padded_.data());
  }

 private:
  od::parser parser_;
  std::string padded_;
};

}  // namespace braidlog::provider
