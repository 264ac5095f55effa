#include "provider/openai/finish_word.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace braidlog::provider {

namespace {

enum class Kind { kOrdinary, kRefused, kCut, kFailed };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Kind kind_of(std::string_view raw) {
  std::string word(raw);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (is_one_of(word, {"abort", "aborted", "error", "failed", "cancelled", "malformed_function_call",
                       "insufficient_system_resource", "network_error", "timeout"})) {
    return Kind::kFailed;
  }
  if (is_one_of(word, {"length", "max_tokens", "model_length", "max_length"})) return Kind::kCut;
  if (is_one_of(word, {"content_filter", "content_filtered", "safety", "refusal", "sensitive", "recitation",
                       "blocklist", "prohibited_content"}))
    return Kind::kRefused;
  return Kind::kOrdinary;
}

}  // namespace

std::optional<FinishReason> unified_reason(std::string_view word, bool has_calls) {
  switch (kind_of(word)) {
    case Kind::kFailed: return std::nullopt;
    case Kind::kCut: return FinishReason::kLength;
    case Kind::kRefused: return word == "refusal" ? FinishReason::kRefusal : FinishReason::kContentFilter;
    case Kind::kOrdinary: break;
  }
  return has_calls ? FinishReason::kToolCalls : FinishReason::kStop;
}

bool is_graver(std::string_view word, std::string_view than) {
  return kind_of(word) > kind_of(than);
}

}  // namespace braidlog::provider
