// The small print that the service's files share: who may see what, and the two ways of asking something
// slow.
#pragma once

#include <utility>

#include "base/log.h"
#include "engine/service.h"

namespace braidlog {

// An object of somebody else looks like one that does not exist. Admins may read and decide in every session, and it is
// recorded when they do.
inline bool visible(const api::Caller& caller, const std::string& user_id) {
  if (caller.user_id == user_id) return true;
  if (caller.is_admin)
    log_info("an admin looks at another user's work", {{"admin", caller.user_id}, {"user", user_id}});
  return caller.is_admin;
}
// Everything but reading and deciding is the owner's alone.
inline bool owned(const api::Caller& caller, const std::string& user_id) {
  return caller.user_id == user_id;
}

// Lists hold the caller's own objects; an admin may ask for everybody's, which is recorded. None: of all users.
inline std::optional<std::string> whose(const api::Caller& caller, bool everybody) {
  if (!everybody || !caller.is_admin) return caller.user_id;
  log_info("an admin lists everybody's work", {{"admin", caller.user_id}});
  return std::nullopt;
}

inline auto session_not_found() {
  return fail(ErrorCode::kSessionNotFound, "Session not found");
}
inline auto run_not_found() {
  return fail(ErrorCode::kRunNotFound, "Run not found");
}
inline auto approval_not_found() {
  return fail(ErrorCode::kApprovalNotFound, "Approval not found");
}

enum class Want { kRead, kWrite };

template <class T, class Then>
void EngineService::with_session(const api::Caller& caller, SessionId id, Want want, api::Reply<T> reply, Then then) {
  read_then(
      engine_.store, loop_, [id](StoreReader& reader) { return reader.session(id); },
      [caller, want, reply = std::move(reply), then = std::move(then)](Result<api::Session> session) mutable {
        if (!session) return reply(fail(session.error()));
        const bool may = want == Want::kRead ? visible(caller, session->user_id) : owned(caller, session->user_id);
        if (!may) return reply(session_not_found());
        then(std::move(*session), std::move(reply));
      });
}

template <class T, class Work>
void EngineService::on_pool(api::Reply<T> reply, Work work) {
  engine_.pool.run([&loop = loop_, reply = std::move(reply), work = std::move(work)]() mutable {
    loop.post([result = work(), reply = std::move(reply)]() mutable { reply(std::move(result)); });
  });
}

}  // namespace braidlog
