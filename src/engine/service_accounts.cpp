// Who the caller is, which agents there are, and what only admins are told.
#include "engine/own_tools.h"
#include "engine/service_support.h"

namespace braidlog {

namespace {

std::vector<api::ToolInfo> tools_of(const RunnableAgent& runnable) {
  const auto& rules = runnable.agent.approval;
  std::vector<api::ToolInfo> tools;
  for (const auto& name : runnable.agent.tools) {
    if (const Tool* tool = runnable.find_tool(name)) {
      const ToolSpec& spec = tool->spec();
      const auto policy = rules.passes(name, spec.writes) ? api::Policy::kAuto : rules.for_tool(name);
      tools.push_back({name, spec.description, spec.parameters_json, spec.writes, spec.idempotent, policy});
    } else if (const auto own = listed_own_offer(name)) {
      tools.push_back({own->name, own->description, own->parameters_json, false, true, api::Policy::kAuto});
    }
  }
  return tools;
}

}  // namespace

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

void EngineService::handle(const api::Caller& caller, api::ListAgents query, api::Reply<api::AgentsInfo> reply) {
  CatalogView view = engine_.agents.view();
  api::AgentsInfo info;
  for (auto& [runnable, file, yaml] : view.agents) {
    api::AgentInfo agent;
    agent.agent = runnable->agent;
    agent.provider = runnable->model->provider();
    agent.model = runnable->model->name();
    agent.tools = tools_of(*runnable);
    for (const auto& contract : query.contracts) {
      if (engine_.agents.default_for(contract) == runnable->agent.name) agent.default_of.push_back(contract);
    }
    agent.file = std::move(file);
    // What is in a file of the operator (addresses, headers, instructions) is nobody else's business.
    if (caller.is_admin) agent.yaml = std::move(yaml);
    info.agents.push_back(std::move(agent));
  }
  if (caller.is_admin) info.faults = std::move(view.faults);
  reply(std::move(info));
}

void EngineService::handle(const api::Caller& caller, api::GetSystem, api::Reply<api::ServerFigures> reply) {
  if (!caller.is_admin) return reply(fail(ErrorCode::kForbidden, "Figures of the server are for admins"));
  if (engine_.status == nullptr) return reply(fail(ErrorCode::kUnavailable, "Nobody counts here"));
  reply(engine_.status->figures());
}

void EngineService::handle(const api::Caller& caller, api::ListAlerts query, api::Reply<api::AlertList> reply) {
  if (!caller.is_admin) return reply(fail(ErrorCode::kForbidden, "Alerts are for admins"));
  read_then(
      engine_.store, loop_, [limit = query.limit](StoreReader& reader) { return reader.alerts(limit); },
      std::move(reply));
}

}  // namespace braidlog
