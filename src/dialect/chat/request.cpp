#include "dialect/chat/request.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/files/posted_message.h"
#include "dialect/files/sent_files.h"
#include "dialect/request_fields.h"
#include "dialect/title.h"

namespace braidlog::chat {

namespace {

// What the forms of a request have in common.
struct SentMessage {
  std::optional<std::string> message;
  std::optional<std::string> session_id;
  std::vector<files::SentFile> files{};
};

Status check_message(const std::optional<std::string>& message, const Limits& limits) {
  if (!message) return bad_field("message", "is required");
  if (!is_valid_utf8(*message)) return fail(ErrorCode::kMalformed, "`message` is not valid UTF-8", "message");
  if (message->find('\0') != std::string::npos) return bad_field("message", "must not hold U+0000");
  if (is_blank(*message)) return bad_field("message", "must not be blank");
  if (count_code_points(*message) > limits.chat_message_characters_max) {
    return bad_field("message",
                     "must have at most " + std::to_string(limits.chat_message_characters_max) + " characters");
  }
  return {};
}

// Of two requests with one key the path, the text and the files must be equal. The session is not compared: the key
// belongs to it.
std::string fingerprint_of(const RouteRequest& request, const api::StartRun& command) {
  const bool streams = request.http.path.ends_with("/stream");
  std::string text = "/agent/" + command.agent + (streams ? "/chat/stream" : "/chat");
  text += "\n" + std::to_string(command.text.size()) + "\n" + command.text;
  for (const auto& file : command.files) text += "\n" + files::digest_of(file);
  return text;
}

Result<api::StartRun> start_run(const RouteRequest& request, SentMessage sent) {
  if (auto status = check_message(sent.message, request.limits); !status) return fail(std::move(status.error()));
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  auto files = files::check_files(sent.files, request.limits);
  if (!files) return fail(std::move(files.error()));
  api::StartRun command;
  // What is no id is an id that nobody has: a new session, like one of somebody else.
  if (sent.session_id) command.session_id = SessionId::parse(*sent.session_id);
  command.else_new = true;
  command.contract = kChatContract;
  command.agent = request.captured[0];
  command.text = std::move(*sent.message);
  command.files = std::move(*files);
  command.title = title_of(command.text);
  command.waits = true;
  command.stops_with_client = true;
  if (!key->empty()) command.fingerprint = fingerprint_of(request, command);
  command.idempotency_key = std::move(*key);
  return command;
}

std::optional<std::string> parameter_of(const HttpRequest& http, std::string_view name) {
  const auto text = http.parameter(name);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

Result<api::StartRun> read_posted_message(const RouteRequest& request) {
  const auto posted = files::PostedMessage::read(request, {"message", "session_id"});
  if (!posted) return fail(posted.error());
  return start_run(request, {posted->field("message"), posted->field("session_id"), posted->files()});
}

Result<api::StartRun> read_linked_message(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  auto command = start_run(request, {parameter_of(request.http, "message"), parameter_of(request.http, "session_id")});
  // A browser that reconnects by itself sends the same link again: that is no second question.
  if (command && command->session_id) command->attaches = true;
  return command;
}

}  // namespace braidlog::chat
