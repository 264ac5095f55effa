#include "dialect/conversation/resources.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "dialect/conversation/errors.h"
#include "dialect/error_words.h"

namespace braidlog::conversation {

namespace {

void write_conversation(JsonWriter& w, const ConversationParts& conversation) {
  w.begin_object();
  w.key("id").string(to_uuid(conversation.id));
  w.key("title").string(conversation.title);
  w.key("updated_at").string(to_iso8601(conversation.updated_at));
  w.key("conversation").begin_array();
  for (const auto& message : conversation.messages) {
    w.begin_object();
    w.key("role").string(message.role);
    w.key("content").string(message.content);
    w.key("created_at").string(to_iso8601(message.created_at));
    w.end_object();
  }
  w.end_array().end_object();
}

ConversationParts parts_of(const api::Conversation& conversation) {
  return {.id = conversation.session.id,
          .title = conversation.session.title,
          .updated_at = conversation.session.updated_at,
          .messages = conversation.view.messages};
}

int status_of(FailureCode code) {
  switch (code) {
    case FailureCode::kProviderTimeout: return 504;
    case FailureCode::kProvider:
    case FailureCode::kRateLimited:
    case FailureCode::kUpstreamTruncated: return 502;
    case FailureCode::kBadFile: return 400;
    case FailureCode::kMaxSteps:
    case FailureCode::kLimitExceeded:
    case FailureCode::kStorage:
    case FailureCode::kInternal: return 500;
  }
  return 500;  // a code written by a newer version
}

// What the run added to the session; a run without text added nothing.
std::string_view response_of(const api::SessionView& view) {
  if (view.messages.empty() || view.messages.back().role != "assistant") return {};
  return view.messages.back().content;
}

}  // namespace

void append_conversation(std::string& out, const ConversationParts& conversation) {
  JsonWriter w(out);
  write_conversation(w, conversation);
}

std::span<const api::Message> first_messages(const api::SessionView& view, std::uint64_t count) {
  return std::span(view.messages).first(std::min<std::uint64_t>(count, view.messages.size()));
}

HttpResponse conversation_body(const api::Conversation& conversation) {
  std::string body;
  append_conversation(body, parts_of(conversation));
  return HttpResponse::json(200, std::move(body));
}

HttpResponse conversation_deleted(const api::DeletedSession&) {
  return HttpResponse::empty(204);
}

HttpResponse history_body(const api::ConversationPage& page) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("history").begin_array();
  for (const auto& conversation : page.items) write_conversation(w, parts_of(conversation));
  w.end_array().key("next_cursor");
  page.next_cursor.empty() ? w.null() : w.string(page.next_cursor);
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse run_answer(const RunState& run, const api::SessionView& view) {
  if (run.ended == RunStatus::kInterrupted) return detail_response(409, kInterruptedText);
  if (run.ended != RunStatus::kCompleted)
    return detail_response(status_of(run.failure), failure_text(run.failure_message));
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("response").string(response_of(view));
  w.key("user_id").string(run.begun.user_id);
  w.key("conversation_id").string(to_uuid(run.begun.session_id));
  w.key("conversation");
  write_conversation(
      w, {.id = run.begun.session_id, .title = run.title, .updated_at = run.ended_at, .messages = view.messages});
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog::conversation
