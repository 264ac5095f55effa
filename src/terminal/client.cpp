#include "terminal/client.h"

#include "terminal/figures.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

constexpr std::chrono::seconds kAnswerTime{30};
constexpr std::size_t kBodyBytesMax = 64 * 1024 * 1024;

struct Collected final : HttpCallSink {
  void on_head(const ResponseHead& head) override { status = head.status(); }
  void on_bytes(std::string_view bytes) override {
    if (body.size() + bytes.size() <= kBodyBytesMax) body += bytes;
  }
  void on_done(CallEnd how) override { end = how; }

  int status = 0;
  std::string body;
  std::optional<CallEnd> end;
};

}  // namespace

bool Reply::is_passing() const {
  if (kind == Kind::kAnswer) return status == 502 || status == 503 || status == 504;
  return kind != Kind::kStopped;
}

json::object Reply::object() const {
  auto parsed = parse_json(body);
  return parsed && parsed->is_object() ? parsed->get_object() : json::object();
}

std::string error_words(int status, std::string_view body) {
  const auto parsed = parse_json(body);
  if (const auto* object = parsed ? parsed->if_object() : nullptr) {
    const auto* error = object_of(*object, "error");
    for (const auto words : {error != nullptr ? text_of(*error, "message") : std::string_view{},
                             text_of(*object, "error"), text_of(*object, "detail")}) {
      if (!words.empty()) return safe_line(words);
    }
  }
  return "the server answered " + std::to_string(status);
}

OutgoingRequest Client::request(Method method, std::string_view path, std::string body) const {
  OutgoingRequest request{.method = method, .url = endpoint_.url, .headers = {}, .body = std::move(body)};
  request.url += path;
  if (!endpoint_.key.empty()) request.headers.push_back({"Authorization", "Bearer " + endpoint_.key});
  if (!request.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  return request;
}

Reply Client::ask(OutgoingRequest request, const Stop& stop) {
  Collected collected;
  const auto call = pump_.http().send(std::move(request), collected);
  pump_.until([&] { return collected.end || (stop && stop()); }, kAnswerTime);
  Reply reply{.kind = Reply::Kind::kLost, .status = collected.status, .body = std::move(collected.body)};
  if (!collected.end) {
    if (stop && stop()) reply.kind = Reply::Kind::kStopped;
  } else if (*collected.end == CallEnd::kComplete) {
    reply.kind = Reply::Kind::kAnswer;
  } else if (*collected.end == CallEnd::kNotReached) {
    reply.kind = Reply::Kind::kNobody;
  }
  return reply;
}

std::string Client::words_of(const Reply& reply) const {
  switch (reply.kind) {
    case Reply::Kind::kNobody: return "No server at " + endpoint_.url + ": start one with braidlog serve --dev";
    case Reply::Kind::kLost: return "The server at " + endpoint_.url + " does not answer";
    case Reply::Kind::kStopped: return "Stopped";
    case Reply::Kind::kAnswer: break;
  }
  if (reply.status == 401) {
    return endpoint_.key.empty()
               ? "The server wants a key: give it with --key-file or in BRAIDLOG_KEY (braidlog key create makes one)"
               : "The server does not take this key";
  }
  return error_words(reply.status, reply.body);
}

}  // namespace braidlog::terminal
