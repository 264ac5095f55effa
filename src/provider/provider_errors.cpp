#include "provider/provider_errors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/json.h"
#include "provider/retry_schedule.h"

namespace braidlog::provider {

namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// `word` stands in `text` and is not the beginning or the middle of another one; "tool_choice" has the word "tool".
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

// What the provider says of its error: {"error":{"message","param"}}, {"error":"…"}, {"message":"…"}, {"detail":"…"},
// or a body that is no JSON. What else stands in it may be an echo of the request, which always speaks of tools.
std::string error_text(std::string_view body) {
  const auto parsed = parse_json(body);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return std::string(body);
  std::string text;
  const auto add = [&](const json::object& from, std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) {
      const auto* value = from.if_contains(key);
      if (value != nullptr && value->is_string()) text += std::string(value->get_string()) + "\n";
    }
  };
  add(*object, {"error", "message", "detail"});
  const auto* error = object->if_contains("error");
  if (error != nullptr && error->is_object()) add(error->get_object(), {"message", "param"});
  return text;
}

bool says_tools_are_refused(std::string_view body) {
  std::string text = error_text(body);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  const auto any = [&](auto& phrases, auto&& has) { return std::any_of(phrases.begin(), phrases.end(), has); };
  static constexpr std::array<std::string_view, 4> kSubjects{"tool", "tools", "function", "functions"};
  // As OpenAI, Ollama, vLLM, llama.cpp, LiteLLM and OpenRouter say it.
  static constexpr std::array<std::string_view, 13> kRefusals{
      "not support", "n't support",  "unsupported", "not available", "not enabled",  "not allowed", "not permitted",
      "disabled",    "unrecognized", "unknown",     "requires --",   "no endpoints", "cannot use"};
  // A tool that is written wrongly, or a page with a script in it, says nothing of tools as such.
  if (text.find("schema") != std::string::npos || text.find('<') != std::string::npos) return false;
  return any(kSubjects, [&](std::string_view word) { return has_word(text, word); }) &&
         any(kRefusals, [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

struct Words {
  ErrorCode code;
  std::string_view text;
};

Words words_of(int status) {
  using enum ErrorCode;
  switch (status) {
    case 401:
    case 403: return {kProvider, "The model provider does not accept the server's credentials"};
    case 402: return {kProvider, "The model provider asks for payment"};
    case 404: return {kProvider, "The model provider does not know this model or address"};
    case 408:
    case 504: return {kProviderTimeout, "The model provider did not answer in time"};
    case 413: return {kProvider, "The conversation is too long for the model provider"};
    case 429: return {kProviderRateLimited, "The model provider is limiting requests"};
    case 503:
    case 529: return {kProvider, "The model provider is overloaded"};
    default: break;
  }
  if (status >= 500) return {kProvider, "The model provider failed"};
  if (status >= 400) return {kProvider, "The model provider refused the request"};
  if (status >= 300 && status < 400) return {kProvider, "The model provider sent the request to another address"};
  return {kProvider, "The model provider answered with something else than an answer"};
}

}  // namespace

Error error_of_status(int status) {
  const Words words = words_of(status);
  return {words.code, std::string(words.text) + " (HTTP " + std::to_string(status) + ")", {}};
}

bool may_refuse_tools(int status) {
  // OpenRouter says it with 404, llama.cpp with 500.
  return status == 400 || status == 404 || status == 422 || status == 500 || status == 501;
}

Error error_of_tool_request(int status, std::string_view body) {
  if (!may_refuse_tools(status) || !says_tools_are_refused(body)) return error_of_status(status);
  return {ErrorCode::kToolsRefused,
          "The model cannot be used with tools (HTTP " + std::to_string(status) + " of its provider)",
          {}};
}

AttemptFailure failure_of_end(CallEnd end) {
  switch (end) {
    case CallEnd::kRefused: return {{ErrorCode::kProvider, "The model provider could not be reached", {}}, false};
    case CallEnd::kNotReached: return {{ErrorCode::kProvider, "The model provider could not be reached", {}}, true};
    case CallEnd::kConnectTimeout:
      return {{ErrorCode::kProviderTimeout, "The model provider could not be reached in time", {}}, true};
    case CallEnd::kComplete:
    case CallEnd::kCut: break;
  }
  return {{ErrorCode::kProvider, "The model provider closed the connection without an answer", {}}, true};
}

AttemptFailure failure_in_stream(int status) {
  if (status < 400) return {{ErrorCode::kProvider, "The model provider reported an error in mid-answer", {}}, false};
  const Words words = words_of(status);
  return {{words.code, std::string(words.text) + ", as it said in mid-answer", {}}, may_retry_status(status)};
}

int status_of_error_word(std::string_view word) {
  static constexpr std::pair<std::string_view, int> kWords[] = {
      {"overloaded_error", 529},
      {"overloaded", 529},
      {"rate_limit_error", 429},
      {"rate_limit_exceeded", 429},
      {"insufficient_quota", 429},
      {"tokens", 429},
      {"requests", 429},
      {"api_error", 500},
      {"server_error", 500},
      {"internal_server_error", 500},
      {"internal_error", 500},
      {"timeout_error", 504},
      {"timeout", 504},
      {"invalid_request_error", 400},
      {"invalid_request", 400},
      {"authentication_error", 401},
      {"invalid_api_key", 401},
      {"billing_error", 402},
      {"permission_error", 403},
      {"not_found_error", 404},
      {"request_too_large", 413},
      {"service_unavailable", 503},
      {"unavailable_error", 503},
  };
  for (const auto& [known, status] : kWords) {
    if (word == known) return status;
  }
  int status = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), status);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  return is_number && status >= 400 && status <= 599 ? status : 0;
}

}  // namespace braidlog::provider
