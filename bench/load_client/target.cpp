#include "load_client/target.h"

namespace bench {

namespace {

std::string post(std::string_view path, std::string_view body) {
  std::string out = "POST ";
  out.append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ");
  return out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

}  // namespace

Target Target::from_flags(const Flags& flags) {
  return {.contract = flags.text("contract") == "runs" ? Contract::kRuns : Contract::kCompletions,
          .port = static_cast<std::uint16_t>(flags.number("port")),
          .model = flags.text("model", "burst-200"),
          .frames_per_run = flags.number("frames")};
}

std::string Target::make_session() const {
  return post("/api/v1/sessions", "{\"agent\":\"" + model + "\"}");
}

std::string Target::start_run(std::string_view session) const {
  return post("/api/v1/sessions/" + std::string(session) + "/messages", R"({"message":"a long story about rivers"})");
}

std::string Target::watch(std::string_view run) const {
  return "GET /api/v1/runs/" + std::string(run) +
         "/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n";
}

std::string Target::complete() const {
  return post("/v1/chat/completions", "{\"model\":\"" + model +
                                          R"(","stream":true,"stream_options":{"include_usage":true},)"
                                          R"("messages":[{"role":"user","content":"a long story about rivers"}]})");
}

bool Target::is_good_end(std::string_view frame) const {
  return frame.starts_with(contract == Contract::kRuns ? "event: run_completed\n" : "data: [DONE]\n");
}

std::string_view text_at(std::string_view body, std::string_view key) {
  const std::string opening = "\"" + std::string(key) + "\":\"";
  const std::size_t at = body.find(opening);
  if (at == std::string_view::npos) return {};
  const std::string_view value = body.substr(at + opening.size());
  return value.substr(0, value.find('"'));
}

}  // namespace bench
