// A session together with its messages, read at one moment.
#pragma once

#include <utility>
#include <vector>

#include "port/run_store.h"

namespace braidlog {

struct SessionAndHistory {
  api::Session session;
  std::vector<api::Message> history;
};

inline Result<SessionAndHistory> read_session(StoreReader& reader, SessionId id) {
  auto session = reader.session(id);
  if (!session) return fail(session.error());
  auto history = reader.messages(id, session->message_count);
  if (!history) return fail(history.error());
  return SessionAndHistory{std::move(*session), std::move(*history)};
}

}  // namespace braidlog
