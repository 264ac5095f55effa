// Who the caller is, which agents there are, and what only admins are told.
#include "engine/service_support.h"

namespace braidlog {

void EngineService::handle(const api::Caller&, api::LogIn command, api::Reply<api::LoggedIn> reply) {
  if (engine_.accounts == nullptr) return reply(fail(ErrorCode::kUnauthorized, "Nobody can log in here"));
  engine_.accounts->log_in(std::move(command), loop_, std::move(reply));
}

void EngineService::handle(const api::Caller& caller, api::LogOut, api::Reply<api::LoggedOut> reply) {
  if (engine_.accounts == nullptr || caller.kind != api::CredentialKind::kCookie) return reply(api::LoggedOut{});
  engine_.accounts->log_out(caller.credential, loop_, std::move(reply));
}

void EngineService::handle(const api::Caller& caller, api::GetMe, api::Reply<api::Me> reply) {
  reply(api::Me{caller.user_id, caller.username, caller.is_admin});
}

void EngineService::handle(const api::Caller&, api::GetAgent query, api::Reply<api::Agent> reply) {
  const auto found = engine_.agents.find(query.name);
  found ? reply(found->agent) : reply(fail(ErrorCode::kAgentNotFound, "There is no agent named " + query.name));
}

void EngineService::handle(const api::Caller& caller, api::ListAlerts query, api::Reply<api::AlertList> reply) {
  if (!caller.is_admin) return reply(fail(ErrorCode::kForbidden, "Alerts are for admins"));
  read_then(
      engine_.store, loop_, [limit = query.limit](StoreReader& reader) { return reader.alerts(limit); },
      std::move(reply));
}

}  // namespace braidlog
