#include "load_client/target.h"

namespace bench {

namespace {

constexpr std::string_view kMessage = R"({"message":"a long story about rivers"})";

Target::Contract contract_named(const std::string& name) {
  if (name == "chat") return Target::Contract::kChat;
  if (name == "conversation") return Target::Contract::kConversation;
  if (name == "tasks") return Target::Contract::kTasks;
  if (name == "runs") return Target::Contract::kRuns;
  return Target::Contract::kCompletions;
}

// The last line of a head. Every request shows who asks.
std::string rest_of_head(const std::string& credential) {
  return credential.empty() ? "\r\n" : "Authorization: Bearer " + credential + "\r\n\r\n";
}

}  // namespace

Target Target::from_flags(const Flags& flags) {
  return {.contract = contract_named(flags.text("contract")),
          .port = static_cast<std::uint16_t>(flags.number("port")),
          .model = flags.text("model", "burst-200"),
          .credential = flags.text("credential"),
          .frames_per_run = flags.number("frames")};
}

std::string Target::post(std::string_view path, std::string_view body) const {
  std::string out = "POST ";
  out.append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ");
  return out.append(std::to_string(body.size())).append("\r\n").append(rest_of_head(credential)).append(body);
}

std::string Target::make_session() const {
  return post(contract == Contract::kTasks ? "/sessions" : "/api/v1/sessions", "{\"agent\":\"" + model + "\"}");
}

std::string Target::start_run(std::string_view session) const {
  switch (contract) {
    case Contract::kRuns: return post("/api/v1/sessions/" + std::string(session) + "/messages", kMessage);
    case Contract::kTasks: return post("/sessions/" + std::string(session) + "/chat", kMessage);
    case Contract::kChat: return post("/agent/" + model + "/chat/stream", kMessage);
    case Contract::kConversation: return post("/agent/stream", kMessage);
    case Contract::kCompletions: break;
  }
  return post("/v1/chat/completions", "{\"model\":\"" + model +
                                          R"(","stream":true,"stream_options":{"include_usage":true},)"
                                          R"("messages":[{"role":"user","content":"a long story about rivers"}]})");
}

std::string Target::watch(std::string_view run) const {
  return "GET /api/v1/runs/" + std::string(run) +
         "/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n" + rest_of_head(credential);
}

bool Target::is_good_end(std::string_view frame) const {
  switch (contract) {
    case Contract::kRuns: return frame.starts_with("event: run_completed\n");
    case Contract::kTasks: return frame.starts_with("event: done\n");
    case Contract::kConversation: return frame.ends_with("\ndata: {\"type\":\"done\"}\n\n");
    case Contract::kChat: return frame.starts_with("event: stream_end\n");
    case Contract::kCompletions: break;
  }
  return frame.starts_with("data: [DONE]\n");
}

std::string_view text_at(std::string_view body, std::string_view key) {
  const std::string opening = "\"" + std::string(key) + "\":\"";
  const std::size_t at = body.find(opening);
  if (at == std::string_view::npos) return {};
  const std::string_view value = body.substr(at + opening.size());
  return value.substr(0, value.find('"'));
}

}  // namespace bench
