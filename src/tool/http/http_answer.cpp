#include "tool/http/http_answer.h"

#include <utility>

#include "base/utf8.h"
#include "tool/http/text_content.h"
#include "wire/http.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kErrorBodyBytesMax = 2'000;
constexpr std::size_t kLocationBytesMax = 300;

bool is_encoded(const CollectedResponse& response) {
  return !response.content_encoding.empty() && !equals_ignoring_case(response.content_encoding, "identity");
}

// The body as text, or empty when it is none.
std::string text_of(const CollectedResponse& response, const MediaType& type) {
  if (is_encoded(response)) return {};
  // Without a type: text if it looks like it.
  const bool looks_like_text = type.type.empty() && response.body.find('\0') == std::string::npos;
  return type.is_text() || looks_like_text ? to_utf8(response.body, type.charset) : std::string();
}

// JSON has many spellings of one text. Read and written again it has ours, in which secrets are found.
std::string without(const Secrets& secrets, std::string text, const MediaType& type) {
  if (type.is_json()) {
    if (const auto value = parse_json(text)) text = to_json(*value);
  }
  return secrets.removed_from(std::move(text));
}

ToolOutcome described(const CollectedResponse& response, const MediaType& type) {
  json::object about{{"status", response.status}};
  if (!response.body.empty()) {
    about["content_type"] = type.type;
    about["bytes"] = response.body.size();
    about["note"] = std::string(response.is_cut ? "The answer is longer than this server takes, and " : "The answer ") +
                    "is not text and is not shown.";
  }
  return ToolOutcome::ok(std::move(about));
}

ToolOutcome failure(const CollectedResponse& response, std::string_view host, const Secrets& secrets) {
  std::string words = std::string(host) + " answered " + status_words(response.status);
  const auto type = MediaType::parse(response.content_type);
  const std::string text = without(secrets, text_of(response, type), type);
  if (!is_blank(text)) {
    const auto shown = utf8_prefix(text, kErrorBodyBytesMax);
    words += ": " + std::string(shown);
    if (shown.size() < text.size() || response.is_cut) words += " … [cut]";
  }
  return ToolOutcome::error(ToolStatus::kToolError, std::move(words));
}

ToolOutcome redirect(const CollectedResponse& response, std::string_view host, const Secrets& secrets) {
  std::string words = std::string(host) + " answered " + status_words(response.status);
  const std::string location = secrets.removed_from(to_valid_utf8(response.location));
  if (!location.empty()) words += " and points to " + std::string(utf8_prefix(location, kLocationBytesMax));
  return ToolOutcome::error(ToolStatus::kToolError, words + "; this tool follows no redirects");
}

ToolOutcome success(const CollectedResponse& response, const Secrets& secrets) {
  const auto type = MediaType::parse(response.content_type);
  std::string text = without(secrets, text_of(response, type), type);
  if (text.empty()) return described(response, type);
  if (response.is_cut) {
    text += "\n[cut: the answer is longer than " + std::to_string(response.body.size()) + " bytes]";
  } else if (type.is_json()) {
    if (auto value = parse_json(text)) return ToolOutcome::ok(std::move(*value));
  }
  return ToolOutcome::ok(json::value(text));
}

}  // namespace

std::string status_words(int status) {
  const auto phrase = reason_phrase(status);
  return std::to_string(status) + (phrase == "Unknown" ? "" : " " + std::string(phrase));
}

ToolOutcome outcome_of(const CollectedResponse& response, std::string_view host, bool writes, const Secrets& secrets) {
  if (response.end != CallEnd::kComplete) {
    const std::string words = words_for(response.end, host);
    if (response.end == CallEnd::kCut && writes) {
      return ToolOutcome::error(ToolStatus::kOutcomeUnknown, words + "; it is not known whether the request was done");
    }
    return ToolOutcome::error(ToolStatus::kToolError, words);
  }
  if (response.status >= 400) return failure(response, host, secrets);
  if (response.status >= 300) return redirect(response, host, secrets);
  return success(response, secrets);
}

}  // namespace braidlog::tool
