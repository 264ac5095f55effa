#include "provider/openai/provider_errors.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/json.h"

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
  return any(kSubjects, [&](std::string_view word) { return has_word(text, word); }) &&
         any(kRefusals, [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

}  // namespace

Error error_of_status(int status) {
  const auto error = [&](ErrorCode code, const std::string& what) {
    return Error{code, what + " (HTTP " + std::to_string(status) + ")", {}};
  };
  if (status == 429) return error(ErrorCode::kProviderRateLimited, "The model provider is limiting requests");
  if (status == 408 || status == 504) {
    return error(ErrorCode::kProviderTimeout, "The model provider did not answer in time");
  }
  if (status == 401 || status == 403) {
    return error(ErrorCode::kProvider, "The model provider does not accept the server's credentials");
  }
  if (status == 402) return error(ErrorCode::kProvider, "The model provider asks for payment");
  if (status == 404) return error(ErrorCode::kProvider, "The model provider does not know this model or address");
  if (status == 413) return error(ErrorCode::kProvider, "The conversation is too long for the model provider");
  if (status == 503 || status == 529) return error(ErrorCode::kProvider, "The model provider is overloaded");
  if (status >= 500) return error(ErrorCode::kProvider, "The model provider failed");
  if (status >= 400) return error(ErrorCode::kProvider, "The model provider refused the request");
  return error(ErrorCode::kProvider, "The model provider answered with something else than an answer");
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

Error error_of_end(CallEnd end) {
  switch (end) {
    case CallEnd::kNotReached: return {ErrorCode::kProvider, "The model provider could not be reached", {}};
    case CallEnd::kConnectTimeout:
      return {ErrorCode::kProviderTimeout, "The model provider could not be reached in time", {}};
    case CallEnd::kComplete:
    case CallEnd::kCut: break;
  }
  return {ErrorCode::kProvider, "The model provider closed the connection without an answer", {}};
}

}  // namespace braidlog::provider
