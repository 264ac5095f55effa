#include "workers.h"

#include <algorithm>

#include "dialect/contracts.h"

namespace braidlog::sim {

namespace {

HttpRequest request_of_ann(Method method, std::string target, std::string body = {}) {
  HttpRequest request;
  request.method = method;
  request.target = std::move(target);
  split_target(request);
  request.body = std::move(body);
  request.headers.push_back({"Authorization", "Bearer ann"});
  return request;
}

std::string session_path(SessionId id) {
  return "/sessions/" + to_uuid(id);
}

bool has_pending(const testing::MemorySession& session) {
  return std::ranges::count(session.items.tasks, TaskStatus::kPending, &api::Task::status) > 0;
}

}  // namespace

void Workers::act(SimServer& server) {
  auto& random = world_.random;
  if (world_.sessions.empty() || (world_.sessions.size() < world_.profile.sessions_max && random.percent(20))) {
    return create_session(server);
  }
  const SessionId session = pick_session();
  if (random.percent(20) && clients_.decide_one(server)) return;
  const auto waiting = with_pending_task();
  const auto dice = waiting && random.percent(70) ? 60 : random.below(100);
  if (dice < 30) return ask(server, session);
  if (dice < 58) return plan(server, session);
  if (dice < 72) {
    const SessionId where = random.percent(90) ? waiting.value_or(session) : session;
    // Two at once: one of them has to wait outside.
    for (auto count = random.percent(15) ? 2 : 1; count > 0; --count) {
      random.percent(75) ? execute(server, where) : execute_unseen(server, where);
    }
    return;
  }
  if (dice < 78) return interrupt(server, session);
  if (dice < 92) return look(server, session);
  throw_away(server, session);
}

// Mostly one in which nothing is going on.
SessionId Workers::pick_session() {
  const SessionId any = world_.random.pick(world_.sessions);
  if (world_.random.percent(30)) return any;
  const auto idle = std::ranges::find_if(world_.sessions, [&](SessionId id) {
    return world_.tables.sessions.contains(id) && !world_.tables.active_run(id);
  });
  return idle == world_.sessions.end() ? any : *idle;
}

// A session that waits for somebody to work on its list.
std::optional<SessionId> Workers::with_pending_task() const {
  for (const SessionId id : world_.sessions) {
    const auto session = world_.tables.sessions.find(id);
    const bool waits = session != world_.tables.sessions.end() && has_pending(session->second);
    if (waits && !world_.tables.active_run(id)) return id;
  }
  return std::nullopt;
}

void Workers::create_session(SimServer& server) {
  const std::vector<std::string> agents = {"", "planner", "coder", "maker", "maker"};
  const std::string agent = world_.random.pick(agents);
  const std::string body = agent.empty() ? "" : R"({"agent":")" + agent + "\"}";
  world_.trace.say("worker", "creates a session ", agent);
  clients_.send(server, {Method::kPost, "/sessions", body}, [this](const HttpResponse& response) {
    if (response.status != 201) return;
    const auto fields = parse_json(response.body);
    const auto id = SessionId::parse(std::string(fields->at("id").as_string()));
    if (!id || !world_.tables.sessions.contains(*id)) return world_.violate("a session was made that is not stored");
    world_.know(*id);
  });
}

// ---- what is answered with a stream ----

void Workers::ask(SimServer& server, SessionId session) {
  auto& random = world_.random;
  Checker::Said said{"do-" + std::to_string(++world_.last_text), {}, session};
  const Dialect& contract = checker_.contract(kStepsContract);
  const std::string path = session_path(session) + "/stream";
  if (random.percent(40)) {
    auto request = request_of_ann(Method::kGet, path + "?query=" + said.text);
    return viewers_.begin(server, {&contract, std::move(request), std::move(said), std::nullopt});
  }
  auto request = request_of_ann(Method::kPost, path, R"({"query":")" + said.text + "\"}");
  viewers_.begin(server, {&contract, std::move(request), std::move(said), std::nullopt});
}

Workers::Key Workers::key_for(SessionId session, bool executes, std::string text) {
  auto& known = executes ? executed_ : planned_;
  const auto used = std::ranges::find(known.rbegin(), known.rend(), session, &Key::session);
  if (used != known.rend() && world_.random.percent(15)) return *used;
  known.push_back({session, "w" + std::to_string(++world_.last_text), std::move(text)});
  return known.back();
}

void Workers::plan(SimServer& server, SessionId session) {
  const Key key = key_for(session, false, "do-" + std::to_string(++world_.last_text));
  auto request = request_of_ann(Method::kPost, session_path(session) + "/chat", R"({"message":")" + key.text + "\"}");
  request.headers.push_back({"Idempotency-Key", key.key});
  viewers_.begin(server, {&checker_.contract(kTasksContract), std::move(request), {key.text, key.key, session}, {}});
}

void Workers::execute(SimServer& server, SessionId session) {
  const Key key = key_for(session, true, {});
  auto request =
      request_of_ann(Method::kPost, session_path(session) + "/execute", world_.random.percent(50) ? "{}" : "");
  request.headers.push_back({"Idempotency-Key", key.key});
  viewers_.begin(server, {&checker_.contract(kTasksContract), std::move(request), {{}, key.key, session}, {}});
}

// Without a key nobody can tell afterwards whose run it is. It goes on all the same.
void Workers::execute_unseen(SimServer& server, SessionId session) {
  world_.trace.say("worker", "executes in ", session, " and does not look");
  SimExchange::Watcher watcher;
  const auto troubles = world_.troubles;
  watcher.responded = [this, troubles](const HttpResponse& response) {
    const int status = response.status;
    const bool is_excused = status == 503 && (world_.troubles != troubles || world_.is_disturbed());
    if (status != 404 && status != 409 && status != 429 && !is_excused) {
      world_.violate("an execution was answered ", status, " ", response.body);
    }
  };
  watcher.sent = [](std::string_view) {};
  watcher.finished = [] {};
  unseen_.emplace_back(
      server.generation(),
      server.receive(request_of_ann(Method::kPost, session_path(session) + "/execute"), std::move(watcher)));
  if (world_.random.percent(40)) unseen_.back().second->leave();
}

void Workers::server_gone(unsigned generation) {
  for (auto& [whose, exchange] : unseen_) {
    if (whose == generation) exchange->server_gone();
  }
  std::erase_if(unseen_, [&](const auto& one) { return one.first == generation; });
}

// ---- what is answered as a whole ----

void Workers::interrupt(SimServer& server, SessionId session) {
  world_.trace.say("worker", "interrupts whatever runs in ", session);
  checker_.asked_to_stop(session);
  clients_.send(server, {Method::kPost, session_path(session) + "/interrupt"}, [](const HttpResponse&) {});
}

void Workers::look(SimServer& server, SessionId session) {
  const std::vector<std::string> what = {"", "/tasks", "/artifacts", "/data-items", "/steps", "/tokens"};
  clients_.send(server, {Method::kGet, session_path(session) + world_.random.pick(what)}, [](const HttpResponse&) {});
}

void Workers::throw_away(SimServer& server, SessionId session) {
  const auto at = world_.tables.sessions.find(session);
  if (at == world_.tables.sessions.end() || at->second.items.artifacts.empty()) return;
  const ArtifactId id = world_.random.pick(at->second.items.artifacts).id;
  world_.trace.say("worker", "throws an artifact of ", session, " away");
  const std::string path = session_path(session) + "/artifacts/" + to_uuid(id);
  clients_.send(server, {Method::kDelete, path}, [this, session, id](const HttpResponse& response) {
    const auto now = world_.tables.sessions.find(session);
    const bool is_there = now != world_.tables.sessions.end() &&
                          std::ranges::count(now->second.items.artifacts, id, &api::Artifact::id) > 0;
    if (response.status == 204 && is_there) world_.violate("an artifact was said to be deleted, and is there");
  });
}

}  // namespace braidlog::sim
