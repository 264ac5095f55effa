// Results of commands and queries -> responses of the chat contract, and the values that frames share with them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/service.h"
#include "event/run_state.h"
#include "wire/http.h"

namespace braidlog::chat {

enum class CallStatus { kSuccess, kError };
std::string_view name_of(CallStatus status);

// {"prompt_tokens":…,"completion_tokens":…,"total_tokens":…}, or null when no model reported any.
void append_tokens_used(std::string& out, const std::optional<Usage>& usage);

// What POST …/chat answers when its run is over: the whole answer, or the problem that ended it.
struct AnswerRule {
  RequestId request_id;
  std::size_t wire_text_bytes_max = 0;
};
HttpResponse run_answer(const RunState& run, const api::SessionView& view, AnswerRule rule);

HttpResponse agent_health(const api::Agent& agent);

}  // namespace braidlog::chat
