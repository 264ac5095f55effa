// JSON: a small append-only writer for everything we send, and a strict reader for what outsiders send.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace braidlog {

namespace json = boost::json;

// Appends `text` as a JSON string with its quotes. U+0085, U+2028 and U+2029 leave as \uXXXX, because some
// SSE clients split lines on them. `text` is valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

// Writes one JSON value into a string, field by field. It puts the commas; the caller keeps braces in
// balance.
//
//   JsonWriter w(out);
//   w.begin_object().key("type").string("done").key("n").number(3).end_object();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view text);
  template <class T>
    requires std::is_integral_v<T>
  JsonWriter& number(T value) {
    if constexpr (std::is_signed_v<T>) return number(static_cast<std::int64_t>(value));
    return number(static_cast<std::uint64_t>(value));
  }
  JsonWriter& number(std::int64_t value);
  JsonWriter& number(std::uint64_t value);
  // In its shortest spelling; null when it is not finite.
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // `text` is already JSON.
  JsonWriter& raw(std::string_view text);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  template <class T>
  JsonWriter& digits(T value);
  void separate();

  std::string& out_;
  bool comma_ = false;
};

// Reads one JSON document from outside: UTF-8, no duplicate keys, no lone surrogates, no number beyond a double, at
// most 32 levels deep, nothing after it. kMalformed otherwise.
Result<json::value> parse_json(std::string_view text);

// The value in our own spelling: the same bytes for the same value, U+2028 and its kin escaped.
std::string to_json(const json::value& value);

}  // namespace braidlog
