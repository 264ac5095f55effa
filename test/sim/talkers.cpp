#include "talkers.h"

#include <algorithm>

#include "dialect/contracts.h"

namespace braidlog::sim {

namespace {

using Way = Attendance::Way;

HttpRequest request_of_ann(Method method, std::string target, std::string body = {}) {
  HttpRequest request;
  request.method = method;
  request.target = std::move(target);
  split_target(request);
  request.body = std::move(body);
  request.headers.push_back({"Authorization", "Bearer ann"});
  return request;
}

std::string text_field(const json::object& body, std::string_view name) {
  const auto* value = body.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

void Talkers::act(SimServer& server) {
  auto& random = world_.random;
  const auto dice = random.below(100);
  if (dice < 6) return leave();
  if (dice < 10) return rename(server);
  // Several at once in one session: they wait for one another.
  Message message = new_message();
  for (auto count = random.percent(20) ? random.between(2, 4) : 1; count > 0; --count) {
    const auto way = random.below(100);
    if (way < 35) chat(server, message, Way::kPost);
    if (way >= 35 && way < 60) chat(server, message, Way::kLink);
    if (way >= 60 && way < 70) chat(server, message, Way::kAnswer);
    if (way >= 70) converse(server, message, way < 90);
    message.said.text = "say-" + std::to_string(++world_.last_text);
    message.said.key.clear();
  }
}

// Sometimes what was said before, with its key or without.
Talkers::Message Talkers::new_message() {
  auto& random = world_.random;
  if (!said_.empty() && random.percent(25)) {
    Message again = random.pick(said_);
    if (random.percent(15)) again.said.text = "say-" + std::to_string(++world_.last_text);
    return again;
  }
  Message message{{"say-" + std::to_string(++world_.last_text), {}, {}}, random.pick(cast()).name};
  if (random.percent(30)) message.said.key = "t" + std::to_string(world_.last_text);
  const bool is_new =
      world_.sessions.empty() || (world_.sessions.size() < world_.profile.sessions_max && random.percent(35));
  if (!is_new) message.said.session = random.pick(world_.sessions);
  if (random.percent(3)) message.said.session = SessionId{};  // nobody's
  return message;
}

void Talkers::remember(const Message& message) {
  if (world_.random.percent(30)) said_.push_back(message);
}

// ---- messages ----

void Talkers::chat(SimServer& server, const Message& message, Way way) {
  remember(message);
  Checker::Said said = message.said;
  const std::string path = "/agent/" + message.agent + "/chat";
  const std::string session = said.session ? to_ulid(*said.session) : std::string();
  const Dialect& contract = checker_.contract(kChatContract);
  if (way == Way::kLink) {
    said.key.clear();
    const std::string link = path + "/stream?message=" + said.text + (session.empty() ? "" : "&session_id=" + session);
    return viewers_.begin(server, {&contract, request_of_ann(Method::kGet, link), std::move(said), way});
  }
  const std::string body =
      R"({"message":")" + said.text + "\"" + (session.empty() ? "}" : R"(,"session_id":")" + session + "\"}");
  HttpRequest request = request_of_ann(Method::kPost, way == Way::kPost ? path + "/stream" : path, body);
  if (!said.key.empty()) request.headers.push_back({"Idempotency-Key", said.key});
  if (way == Way::kPost) return viewers_.begin(server, {&contract, std::move(request), std::move(said), way});
  Asked asked;
  asked.text = said.text;
  asked.in_chat = true;
  ask(server, std::move(request), std::move(asked));
  checker_.attendance().asks(said.text, way, asked_.back().exchange, server.generation());
}

void Talkers::converse(SimServer& server, const Message& message, bool streamed) {
  remember(message);
  const Checker::Said& said = message.said;
  const std::string body = R"({"message":")" + said.text + "\"" +
                           (said.session ? R"(,"conversation_id":")" + to_uuid(*said.session) + "\"}" : "}");
  HttpRequest request = request_of_ann(Method::kPost, streamed ? "/agent/stream" : "/agent", body);
  if (!said.key.empty()) request.headers.push_back({"Idempotency-Key", said.key});
  if (streamed) {
    return viewers_.begin(server, {&checker_.contract(kConversationContract), std::move(request), said, std::nullopt});
  }
  Asked asked;
  asked.text = said.text;
  ask(server, std::move(request), std::move(asked));
}

void Talkers::rename(SimServer& server) {
  if (world_.sessions.empty()) return;
  const SessionId session = world_.random.pick(world_.sessions);
  const std::string title = "title " + std::to_string(world_.random.below(100));
  ask(server,
      request_of_ann(Method::kPatch, "/agent/conversations/" + to_uuid(session), R"({"title":")" + title + "\"}"), {});
}

// ---- answers as a whole ----

void Talkers::ask(SimServer& server, HttpRequest request, Asked asked) {
  world_.trace.say("talker", name_of(request.method), " ", request.target, " ", request.body);
  asked.generation = server.generation();
  asked.troubles = world_.troubles;
  SimExchange::Watcher watcher;
  watcher.responded = [this, asked](const HttpResponse& response) { on_answer(asked, response); };
  watcher.sent = [this](std::string_view) { world_.violate("a stream came where an answer was asked for"); };
  watcher.finished = [] {};
  asked.exchange = server.receive(std::move(request), std::move(watcher));
  std::erase_if(asked_, [](const Asked& one) { return !one.exchange->is_attended(); });
  asked_.push_back(std::move(asked));
}

void Talkers::leave() {
  std::vector<SimExchange*> waiting;
  for (const auto& asked : asked_) {
    if (asked.exchange->is_attended()) waiting.push_back(asked.exchange.get());
  }
  if (waiting.empty()) return;
  world_.trace.say("talker", "does not wait for an answer");
  world_.random.pick(waiting)->leave();
}

void Talkers::on_answer(const Asked& asked, const HttpResponse& response) {
  world_.trace.say("talker", "is told ", response.status, " ", response.body);
  check_answer(asked, response);
}

// Refused for the state of things, or what became of the run.
void Talkers::check_answer(const Asked& asked, const HttpResponse& response) {
  const int status = response.status;
  const bool is_excused = status == 503 && (world_.troubles != asked.troubles || world_.is_disturbed());
  if (is_excused || status == 404 || status == 409 || status == 429) return;
  if (asked.text.empty() && status == 200) return;
  const auto runs = checker_.saying(asked.text);
  if (std::ranges::any_of(runs, [&](const auto* run) { return tells_the_end(asked, response, *run); })) return;
  world_.violate("the answer to ", asked.text, " is not what its run says: ", status, " ", response.body);
}

bool Talkers::tells_the_end(const Asked& asked, const HttpResponse& response, const RunHistory& run) const {
  const RunState& state = run.state();
  if (!run.ended()) return false;
  const int status = response.status;
  if (status == 200) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object() || state.ended != RunStatus::kCompleted) return false;
    const json::object& fields = body->get_object();
    const std::string session = asked.in_chat ? to_ulid(state.request.session_id) : to_uuid(state.request.session_id);
    return text_field(fields, asked.in_chat ? "content" : "response") == run.message() &&
           text_field(fields, asked.in_chat ? "session_id" : "conversation_id") == session;
  }
  if (state.ended == RunStatus::kInterrupted) {
    return asked.in_chat && status == (run.interrupted_for() == "server_stopping" ? 503 : 499);
  }
  // The answer itself is in the session, which may be deleted by now.
  const bool is_deleted = !world_.tables.sessions.contains(state.request.session_id);
  if (state.ended == RunStatus::kCompleted) return status == 503 && is_deleted;
  const bool is_fleeting = state.failure == FailureCode::kRateLimited || state.failure == FailureCode::kStorage;
  if (asked.in_chat) return status == (is_fleeting ? 503 : 500);
  return status == 500 || status == 502 || status == 504;
}

// ---- the others ----

void Talkers::server_gone(unsigned generation) {
  for (auto& asked : asked_) {
    if (asked.generation == generation) asked.exchange->server_gone();
  }
}

void Talkers::check_answered(const SimServer& server) const {
  for (const auto& asked : asked_) {
    if (asked.generation != server.generation() || !asked.exchange->is_attended() || world_.two_owners) continue;
    const auto runs = checker_.saying(asked.text);
    const bool waits = std::ranges::any_of(runs, [](const auto* run) { return !run->ended(); });
    if (!waits) world_.violate("the message ", asked.text, " was never answered");
  }
}

}  // namespace braidlog::sim
