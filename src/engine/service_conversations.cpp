// Sessions with their messages: one of them, or a page of them.
#include <charconv>

#include "engine/service_support.h"
#include "engine/session_history.h"

namespace braidlog {

namespace {

// Where the page before ended: "<wall ms>_<session uuid>".
std::string cursor_of(const api::Session& session) {
  return std::to_string(session.updated_at.ms) + "_" + to_uuid(session.id);
}

std::optional<StoreReader::SessionPlace> parse_cursor(std::string_view text) {
  StoreReader::SessionPlace place;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place.updated_at.ms);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || used >= text.size() || text[used] != '_') return std::nullopt;
  const auto id = SessionId::parse(text.substr(used + 1));
  if (!id) return std::nullopt;
  place.id = *id;
  return place;
}

Result<api::ConversationPage> read_page(StoreReader& reader, StoreReader::SessionQuery query) {
  const std::size_t limit = query.limit;
  ++query.limit;  // one more tells whether there is a next page
  auto sessions = reader.sessions(query);
  if (!sessions) return fail(sessions.error());
  api::ConversationPage page;
  for (auto& session : sessions->items) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(page.items.back().session);
      break;
    }
    auto messages = reader.messages(session.id, session.message_count);
    if (!messages) return fail(messages.error());
    page.items.push_back({std::move(session), {std::move(*messages)}});
  }
  return page;
}

}  // namespace

void EngineService::handle(const api::Caller& caller, api::GetConversation query, api::Reply<api::Conversation> reply) {
  read_then(
      engine_.store, loop_, [id = query.id](StoreReader& reader) { return read_session(reader, id); },
      [caller, reply = std::move(reply)](Result<SessionAndHistory> found) mutable {
        if (!found) return reply(fail(found.error()));
        if (!visible(caller, found->session.user_id)) return reply(session_not_found());
        reply(api::Conversation{std::move(found->session), {std::move(found->history)}});
      });
}

void EngineService::handle(const api::Caller& caller, api::ListConversations query,
                           api::Reply<api::ConversationPage> reply) {
  StoreReader::SessionQuery wanted{whose(caller, query.everybody), query.limit};
  if (!query.cursor.empty()) {
    wanted.after = parse_cursor(query.cursor);
    if (!wanted.after) return reply(fail(ErrorCode::kBadField, "`cursor` is none of this server's", "cursor"));
  }
  read_then(
      engine_.store, loop_, [wanted = std::move(wanted)](StoreReader& reader) { return read_page(reader, wanted); },
      std::move(reply));
}

}  // namespace braidlog
