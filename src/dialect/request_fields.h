// What requests of several contracts have in common: parameters of the query, the idempotency key, the message of a
// user, a title. Each reader gives the value or the Error that the client gets; the status and the body of that error
// are the contract's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/body_fields.h"
#include "dialect/dialect.h"

namespace braidlog {

// kMalformed when the query has a broken escape or is not UTF-8.
Status check_query(const HttpRequest& http);

// A whole number from `min` to `max`, or `fallback` when the parameter is not there.
struct NumberRule {
  std::uint32_t min = 0, max = 0, fallback = 0;
};
Result<std::uint32_t> number_parameter(const HttpRequest& http, std::string_view name, NumberRule rule);

// `?scope=all`: a list of everybody's, for an admin. Whether the caller is one is not decided here. No other word is
// known.
Result<bool> wants_everybody(const HttpRequest& http);

// The key of the Idempotency-Key header, or of the body in contracts that have a field for it; empty when there is
// none. Two that differ are kBadField.
Result<std::string> idempotency_key(const RouteRequest& request, const std::optional<std::string>& in_body = {});

// The field `message`: there, not blank, at most `message_bytes_max` bytes.
Result<std::string> required_message(const RouteRequest& request, const BodyFields& fields);

// The same of a message that was read elsewhere.
Status check_message(const RouteRequest& request, const std::optional<std::string>& message);

// The field `title`, when it is there: not blank, at most 200 characters.
Result<std::optional<std::string>> title_field(const BodyFields& fields);
Result<std::string> required_title(const BodyFields& fields);

}  // namespace braidlog
