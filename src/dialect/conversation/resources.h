// Results -> bodies of the conversation contract. Field names and their order are the contract's; a conversation looks
// the same wherever it stands: in the `conversation` event, in the history, alone, and in the answer of POST /agent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/service.h"
#include "wire/http.h"

namespace braidlog::conversation {

struct ConversationParts {
  SessionId id;
  std::string_view title;
  WallTime updated_at;
  std::span<const api::Message> messages;
};
// {"id":…,"title":…,"updated_at":…,"conversation":[{"role":…,"content":…,"created_at":…}]}
void append_conversation(std::string& out, const ConversationParts& conversation);
// The first `count` messages of a view, or all when it has fewer.
std::span<const api::Message> first_messages(const api::SessionView& view, std::uint64_t count);

HttpResponse conversation_body(const api::Conversation& conversation);
HttpResponse conversation_deleted(const api::DeletedSession& deleted);
HttpResponse history_body(const api::ConversationPage& page);

// The answer to a request that waited for its run. 200 when it is completed. A run that failed has no answer to give:
// 504 when the model did not answer in time, 502 when it failed in another way, 500 for the rest; an interrupted one is
// 409.
HttpResponse run_answer(const RunState& run, const api::SessionView& view);

}  // namespace braidlog::conversation
