#include "terminal/chat_session.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "terminal/figures.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

constexpr std::chrono::milliseconds kFirstPause{300}, kPauseMax{5000}, kGiveUpAfter{std::chrono::minutes(5)};

}  // namespace

ChatSession::ChatSession(Client& client, Screen& screen, std::string agent)
    : client_(client), screen_(screen), agent_(std::move(agent)) {}

Status ChatSession::greet() {
  const auto reply = ask_once("/agents");
  if (!reply.is(200)) return fail(ErrorCode::kUnavailable, client_.words_of(reply));
  const auto body = reply.object();
  agents_.clear();
  if (const auto* rows = array_of(body, "agents")) {
    for (const auto& row : *rows) {
      if (!row.is_object()) continue;
      agents_.push_back(
          {safe_line(text_of(row.get_object(), "name")), safe_line(text_of(row.get_object(), "description"))});
    }
  }
  if (agent_.empty() || knows(agent_)) return {};
  return fail(ErrorCode::kAgentNotFound, "There is no agent '" + safe_line(agent_) + "' on this server");
}

Reply ChatSession::ask_once(const std::string& path) {
  return client_.ask(client_.request(Method::kGet, path), [this] { return client_.pump().stop_count() > 0; });
}

bool ChatSession::knows(const std::string& agent) const {
  return std::ranges::find(agents_, agent, &AgentRow::name) != agents_.end();
}

Result<std::optional<std::string>> ChatSession::resume(const std::string& session_id) {
  const auto reply = ask_once("/api/v1/sessions/" + percent_encode(session_id));
  if (!reply.is(200)) return fail(ErrorCode::kSessionNotFound, client_.words_of(reply));
  const auto session = reply.object();
  id_ = text_of(session, "session_id");
  agent_ = safe_line(text_of(session, "agent"));
  const auto run = text_of(session, "active_run_id");
  return run.empty() ? std::nullopt : std::optional(std::string(run));
}

Status ChatSession::renew(const std::string& agent) {
  if (!agent.empty() && !knows(agent)) {
    return fail(ErrorCode::kAgentNotFound, "There is no agent '" + safe_line(agent) + "'; /agents lists them");
  }
  if (!agent.empty()) agent_ = agent;
  id_.clear();
  return {};
}

// Over a lost connection, until an answer comes that will not change.
Result<Reply> ChatSession::ask_patiently(const OutgoingRequest& request) {
  const auto begun = clock_.mono();
  // A single Ctrl-C while the server is at work is meant for the run, which will be there in a moment.
  bool is_lost = false;
  const auto stop = [&] { return client_.pump().stop_count() > (is_lost ? 0u : 1u); };
  for (auto pause = kFirstPause;; pause = std::min(pause * 2, kPauseMax)) {
    auto reply = client_.ask(request, stop);
    if (reply.kind == Reply::Kind::kStopped) return fail(ErrorCode::kCancelled, "stopped");
    if (!reply.is_passing() || clock_.mono().ms - begun.ms > kGiveUpAfter.count()) return reply;
    if (!std::exchange(is_lost, true)) screen_.note(screen_.style().dim("connection lost, going on \xE2\x80\xA6"));
    client_.pump().until(stop, pause);
    if (stop()) return fail(ErrorCode::kCancelled, "stopped");
  }
}

Status ChatSession::make() {
  std::string body;
  JsonWriter writer(body);
  writer.begin_object();
  if (!agent_.empty()) writer.key("agent").string(agent_);
  writer.end_object();
  const auto reply = ask_patiently(client_.request(Method::kPost, "/api/v1/sessions", body));
  if (!reply) return fail(reply.error());
  if (!reply->is(201)) return fail(ErrorCode::kUnavailable, client_.words_of(*reply));
  const auto session = reply->object();
  id_ = text_of(session, "session_id");
  agent_ = safe_line(text_of(session, "agent"));
  return {};
}

Result<std::string> ChatSession::send(const std::string& message) {
  if (id_.empty()) {
    if (auto made = make(); !made) return fail(made.error());
  }
  std::string body;
  JsonWriter(body).begin_object().key("message").string(to_valid_utf8(message)).end_object();
  auto request = client_.request(Method::kPost, "/api/v1/sessions/" + percent_encode(id_) + "/messages", body);
  request.headers.push_back({"Idempotency-Key", to_prefixed(ids_.make<RequestId>())});
  const auto reply = ask_patiently(request);
  if (!reply) return fail(reply.error());
  const auto answer = reply->object();
  if (reply->is(202)) return std::string(text_of(answer, "run_id"));
  std::string words = client_.words_of(*reply);
  if (const auto* error = object_of(answer, "error"); reply->is(409) && error != nullptr) {
    const auto* details = object_of(*error, "details");
    const auto run = details != nullptr ? safe_line(text_of(*details, "run_id")) : std::string();
    if (!run.empty()) words += " (" + run + ")";
  }
  return fail(ErrorCode::kUnavailable, words);
}

}  // namespace braidlog::terminal
