#include "dialect/request_fields.h"

#include <charconv>
#include <utility>

#include "base/utf8.h"

namespace braidlog {

namespace {

constexpr std::size_t kTitleCodePointsMax = 200;

Status check_key(std::string_view key, const Limits& limits) {
  if (key.empty() || key.size() > limits.idempotency_key_bytes_max) {
    return bad_field("idempotency_key",
                     "must have 1 to " + std::to_string(limits.idempotency_key_bytes_max) + " bytes");
  }
  if (!is_valid_utf8(key) || key.find('\0') != std::string_view::npos) {
    return bad_field("idempotency_key", "must be UTF-8 without U+0000");
  }
  return {};
}

}  // namespace

Status check_query(const HttpRequest& http) {
  if (http.query_is_valid) return {};
  return fail(ErrorCode::kMalformed, "The query is not valid UTF-8 in percent-encoding");
}

Result<std::uint32_t> number_parameter(const HttpRequest& http, std::string_view name, NumberRule rule) {
  const auto text = http.parameter(name);
  if (!text) return rule.fallback;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < rule.min || value > rule.max) {
    return bad_field(name,
                     "must be a whole number from " + std::to_string(rule.min) + " to " + std::to_string(rule.max));
  }
  return value;
}

Result<bool> wants_everybody(const HttpRequest& http) {
  const auto scope = http.parameter("scope");
  if (!scope) return false;
  if (*scope == "all") return true;
  return bad_field("scope", "must be `all`, or not there");
}

Result<std::string> idempotency_key(const RouteRequest& request, const std::optional<std::string>& in_body) {
  const auto in_header = request.http.header("Idempotency-Key");
  if (in_header && in_body && *in_header != *in_body) {
    return bad_field("idempotency_key", "and the Idempotency-Key header are different");
  }
  if (!in_header && !in_body) return std::string();
  std::string key = in_header ? std::string(*in_header) : *in_body;
  if (auto status = check_key(key, request.limits); !status) return fail(std::move(status.error()));
  return key;
}

Result<std::string> required_message(const RouteRequest& request, const BodyFields& fields) {
  auto message = fields.string("message");
  if (!message) return fail(std::move(message.error()));
  if (auto status = check_message(request, *message); !status) return fail(std::move(status.error()));
  return std::move(**message);
}

Status check_message(const RouteRequest& request, const std::optional<std::string>& message) {
  if (!message) return bad_field("message", "is required");
  if (auto status = check_text("message", *message, request.limits.message_bytes_max); !status) return status;
  if (is_blank(*message)) return bad_field("message", "must not be blank");
  return {};
}

Result<std::optional<std::string>> title_field(const BodyFields& fields) {
  auto title = fields.string("title");
  if (!title || !*title) return title;
  if (is_blank(**title)) return bad_field("title", "must not be blank");
  if (count_code_points(**title) > kTitleCodePointsMax) {
    return bad_field("title", "must have at most " + std::to_string(kTitleCodePointsMax) + " characters");
  }
  if ((*title)->find('\0') != std::string::npos) return bad_field("title", "must not hold U+0000");
  return title;
}

Result<std::string> required_title(const BodyFields& fields) {
  auto title = title_field(fields);
  if (!title) return fail(std::move(title.error()));
  if (!*title) return bad_field("title", "is required");
  return std::move(**title);
}

}  // namespace braidlog
