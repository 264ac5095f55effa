#include "clients.h"

#include <algorithm>

#include "dialect/event_id.h"

namespace braidlog::sim {

namespace {

std::string field(const HttpResponse& response, const char* name) {
  const auto body = parse_json(response.body);
  if (!body || !body->is_object()) return {};
  const auto* value = body->get_object().if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string session_path(SessionId id) {
  return "/api/v1/sessions/" + to_prefixed(id);
}

// The history of a run that chance picks; null when there is none.
const RunHistory* pick_run(const Checker& checker, Random& random) {
  const auto& runs = checker.histories();
  if (runs.empty()) return nullptr;
  return &std::next(runs.begin(), static_cast<std::ptrdiff_t>(random.below(runs.size())))->second;
}

}  // namespace

void Clients::act(SimServer& server) {
  auto& random = world_.random;
  if (world_.sessions.empty() || (world_.sessions.size() < world_.profile.sessions_max && random.percent(20))) {
    return create_session(server);
  }
  const SessionId session = random.pick(world_.sessions);
  const auto dice = random.below(100);
  if (dice < 40) return post_message(server, session);
  if (dice < 70) return decide_any(server);
  if (dice < 78) return set_auto_approve(server, session);
  if (dice < 80) return delete_session(server, session);
  if (dice < 84) return intrude(server, session);
  if (dice < 90) return look(server, session);
  if (const auto* run = pick_run(checker_, random)) interrupt(server, *run);
}

// ---- requests and answers in general ----

void Clients::send(SimServer& server, Request request, Then then) {
  HttpRequest http;
  http.method = request.method;
  http.target = request.path;
  split_target(http);
  http.headers = request.headers;
  http.headers.push_back({"Authorization", "Bearer " + request.user});
  http.body = request.body;
  const auto troubles = world_.troubles;
  SimExchange::Watcher watcher;
  watcher.responded = [this, request, troubles, then = std::move(then)](const HttpResponse& response) {
    world_.trace.say("client", "is told ", response.status, " ", response.body);
    check_status(request, response, troubles);
    then(response);
  };
  watcher.sent = [this, path = request.path](std::string_view) { world_.violate(path, " was answered with a stream"); };
  watcher.finished = [] {};
  const std::string what = std::string(name_of(request.method)) + " " + request.path;
  auto exchange = server.receive(std::move(http), std::move(watcher));
  std::erase_if(pending_, [](const Pending& pending) { return pending.exchange->is_answered(); });
  pending_.push_back({exchange, server.generation(), what});
  // Some do not wait for the answer.
  if (world_.random.percent(3)) exchange->leave();
}

// These requests are well made: whatever is refused is refused for the state of things. The server may be unable to
// answer only when something was wrong with it.
void Clients::check_status(const Request& request, const HttpResponse& response, std::uint64_t troubles_before) {
  const int status = response.status;
  const bool is_plain = (status >= 200 && status < 300) || status == 404 || status == 409 || status == 429;
  const bool is_excused = status == 503 && (world_.troubles != troubles_before || world_.is_disturbed());
  if (!is_plain && !is_excused) world_.violate(request.path, " was answered ", status, " ", response.body);
}

void Clients::server_gone(unsigned generation) {
  for (auto& pending : pending_) {
    if (pending.generation == generation) pending.exchange->server_gone();
  }
  std::erase_if(pending_, [&](const Pending& pending) { return pending.generation == generation; });
}

void Clients::check_answered(When when) const {
  for (const auto& pending : pending_) {
    if (when == When::kQuiet && pending.exchange->request().method == Method::kDelete) continue;
    if (!pending.exchange->is_answered()) world_.violate(pending.what, " was never answered");
  }
}

// ---- what they do ----

void Clients::create_session(SimServer& server) {
  auto& random = world_.random;
  const std::string agent = world_.profile.busy ? "planner" : random.pick(cast()).name;
  const bool auto_approve = random.percent(10);
  const std::string body = R"({"agent":")" + agent + R"(","auto_approve":)" + (auto_approve ? "true}" : "false}");
  world_.trace.say("client", "creates a session with ", agent);
  send(server, {Method::kPost, "/api/v1/sessions", body}, [this](const HttpResponse& response) {
    if (response.status != 201) return;
    const auto id = SessionId::parse(field(response, "session_id"));
    if (!id || !world_.tables.sessions.contains(*id)) return world_.violate("a session was made that is not stored");
    world_.know(*id);
  });
}

void Clients::post_message(SimServer& server, SessionId session) {
  auto& random = world_.random;
  std::string text = "do-" + std::to_string(++world_.last_text), key;
  if (random.percent(50)) {
    // A new key, or one that was used before: with the same text it is a repetition, with another a mistake.
    const bool again = !keys_.empty() && random.percent(50);
    key = again ? random.pick(keys_).first : "k" + std::to_string(keys_.size());
    if (!again) keys_.emplace_back(key, text);
    const auto used = std::ranges::find(keys_, key, [](const auto& pair) { return pair.first; });
    if (random.percent(80)) text = used->second;
  }
  Request request{Method::kPost, session_path(session) + "/messages", R"({"message":")" + text + R"("})"};
  if (!key.empty()) request.headers.push_back({"Idempotency-Key", key});
  world_.trace.say("client", "posts to ", session, key.empty() ? "" : " with key ", key, ": ", text);
  send(server, request, [this, said = Checker::Said{text, key, session}](const HttpResponse& response) {
    if (response.status != 202) return;
    const auto run = RunId::parse(field(response, "run_id"));
    if (!run) return world_.violate("a run without an id");
    checker_.told_run(*run, said);
  });
}

void Clients::set_auto_approve(SimServer& server, SessionId session) {
  const bool enable = world_.random.percent(50);
  world_.trace.say("client", "turns auto-approve of ", session, enable ? " on" : " off");
  checker_.consent(session).ask(enable, world_.trace.step);
  const Request request{Method::kPost, session_path(session) + "/settings/auto-approve",
                        enable ? R"({"enabled":true})" : R"({"enabled":false})"};
  send(server, request, [this, session, enable](const HttpResponse& response) {
    // Of two servers each speaks for the runs that it has.
    const bool accepted = response.status == 200 && !world_.two_owners;
    checker_.consent(session).answered(enable, accepted, world_.trace.step);
  });
}

void Clients::delete_session(SimServer& server, SessionId session) {
  world_.trace.say("client", "deletes ", session);
  checker_.asked_to_delete(session);
  send(server, {Method::kDelete, session_path(session)}, [this, session](const HttpResponse& response) {
    if (response.status == 204 && world_.tables.sessions.contains(session)) {
      world_.violate(session, " was said to be deleted, and is there");
    }
  });
}

void Clients::interrupt(SimServer& server, const RunHistory& run) {
  const RunId id = run.id();
  world_.trace.say("client", "interrupts ", id);
  checker_.asked_to_stop(id);
  const std::string path = session_path(run.state().request.session_id) + "/runs/" + to_prefixed(id) + "/interrupt";
  for (int times = world_.random.percent(20) ? 2 : 1; times > 0; --times) {
    send(server, {Method::kPost, path}, [this, id](const HttpResponse& response) {
      if (response.status == 202) checker_.told_interrupting(id);
      const bool is_over = response.status == 200;
      if (is_over && !checker_.history(id)->ended()) world_.violate(id, " was said to be over, and is not");
    });
  }
}

void Clients::decide(SimServer& server, const api::Approval& approval, Verdict verdict) {
  const bool approve = verdict == Verdict::kApproved;
  world_.trace.say("client", approve ? "approves " : "rejects ", approval.id, " of ", approval.run_id);
  Request request{Method::kPost, session_path(approval.session_id) + "/approvals/" + to_prefixed(approval.id) +
                                     (approve ? "/approve" : "/reject")};
  if (approve && world_.random.percent(20)) request.body = R"({"apply_to_future":true})";
  send(server, request, [this, id = approval.id, run = approval.run_id, verdict](const HttpResponse& response) {
    if (response.status == 200) checker_.told_decided(id, run, verdict);
  });
}

// A pending approval mostly, sometimes one that was decided long ago; once, twice, or both ways at once.
void Clients::decide_any(SimServer& server) {
  auto& random = world_.random;
  api::ApprovalList known = world_.tables.pending([](const auto&) { return true; });
  if (known.empty() || random.percent(15)) {
    for (const auto& [id, row] : world_.tables.approvals) known.push_back(row.approval);
  }
  if (known.empty()) return;
  const api::Approval approval = random.pick(known);
  const Verdict verdict = random.percent(70) ? Verdict::kApproved : Verdict::kRejected;
  decide(server, approval, verdict);
  if (random.percent(15)) decide(server, approval, verdict);
  if (random.percent(15)) {
    decide(server, approval, verdict == Verdict::kApproved ? Verdict::kRejected : Verdict::kApproved);
  }
}

bool Clients::decide_one(SimServer& server) {
  const auto pending = world_.tables.pending([](const auto&) { return true; });
  if (pending.empty()) return false;
  decide(server, pending.front(), world_.random.percent(60) ? Verdict::kApproved : Verdict::kRejected);
  return true;
}

void Clients::look(SimServer& server, SessionId session) {
  const std::string path = session_path(session);
  const std::vector<std::string> paths = {path, path + "/runs", path + "/approvals", "/api/v1/approvals",
                                          "/api/v1/sessions"};
  send(server, {Method::kGet, world_.random.pick(paths)}, [](const HttpResponse&) {});
}

// Another user tries what is not hers: it must look as if it were not there.
void Clients::intrude(SimServer& server, SessionId session) {
  auto& random = world_.random;
  Request request{Method::kGet, session_path(session), {}, "eve"};
  const RunHistory* run = pick_run(checker_, random);
  const auto dice = run ? random.below(5) : 0;
  int expected = 404;
  if (dice == 1) request.path = "/api/v1/runs/" + to_prefixed(run->id()) + "/stream?contract=all";
  if (dice == 2) request.path = "/agent/conversations/" + to_uuid(session);
  if (dice == 3) {
    request = {Method::kPost, "/agent/stream", R"({"message":"mine","conversation_id":")" + to_uuid(session) + "\"}",
               "eve"};
  }
  if (dice == 4) {
    expected = 204;  // an id that leads nowhere, on a URL that would begin a run
    request.path = "/agent/bold/chat/stream?message=mine&session_id=" + to_ulid(session);
    request.headers.push_back({"Last-Event-ID", event_id_prefix(run->id()) + "0000000001"});
  }
  send(server, request, [this, request, expected](const HttpResponse& response) {
    if (response.status != expected && response.status != 503) world_.violate("another user got at ", request.path);
  });
}

}  // namespace braidlog::sim
