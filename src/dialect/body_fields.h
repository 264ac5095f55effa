// The fields of a JSON body, read with a type each. Unknown fields are ignored; null counts as absent; a
// field of the wrong type is kBadField with its name as the subject.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace braidlog {

enum class BodyPresence { kRequired, kOptional };  // kOptional: an empty body is a body without fields

class BodyFields {
 public:
  // kMalformed when `body` is no JSON document, kBadField when it is no object.
  static Result<BodyFields> read(std::string_view body, BodyPresence presence);

  Result<std::optional<std::string>> string(std::string_view name) const;
  Result<std::optional<bool>> boolean(std::string_view name) const;
  // Empty when the field is absent. Points into the fields: for values that are too large to be copied.
  Result<std::span<const json::value>> array(std::string_view name) const;

 private:
  explicit BodyFields(json::object fields) : fields_(std::move(fields)) {}
  const json::value* find(std::string_view name) const;

  json::object fields_;
};

// kBadField, "`name` must be …".
[[nodiscard]] tl::unexpected<Error> bad_field(std::string_view name, std::string_view rule);

// A text that people wrote: at most `bytes_max` bytes of UTF-8, no U+0000.
Status check_text(std::string_view name, std::string_view text, std::size_t bytes_max);

}  // namespace braidlog
