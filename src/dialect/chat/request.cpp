#include "dialect/chat/request.h"

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/chat/files.h"
#include "dialect/contracts.h"
#include "dialect/request_fields.h"
#include "dialect/title.h"
#include "wire/multipart.h"

namespace braidlog::chat {

namespace {

constexpr std::size_t kOtherPartsMax = 16;  // of a form, beside its files

// What the three forms of a request have in common.
struct SentMessage {
  std::optional<std::string> message;
  std::optional<std::string> session_id;
  std::vector<SentFile> files;
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
  for (const auto& file : command.files) text += "\n" + digest_of(file);
  return text;
}

Result<api::StartRun> start_run(const RouteRequest& request, SentMessage sent) {
  if (auto status = check_message(sent.message, request.limits); !status) return fail(std::move(status.error()));
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  auto files = check_files(sent.files, request.limits);
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

// ---- JSON ----

Result<std::optional<std::string>> string_of(const json::object& file, std::string_view name) {
  const json::value* value = file.if_contains(name);
  if (value == nullptr || value->is_null()) return std::optional<std::string>();
  if (!value->is_string()) return bad_field("files." + std::string(name), "must be a string");
  return std::optional(std::string(value->get_string()));
}

Result<SentFile> read_json_file(const json::value& value) {
  const json::object* fields = value.if_object();
  if (fields == nullptr) return bad_field("files", "must be a list of objects");
  const json::value* content = fields->if_contains("content");
  if (content == nullptr || !content->is_string()) return bad_field("files.content", "must be a string in base64");
  auto type = string_of(*fields, "mime_type");
  if (!type) return fail(std::move(type.error()));
  if (!*type) return bad_field("files.mime_type", "is required");
  auto name = string_of(*fields, "filename");
  if (!name) return fail(std::move(name.error()));
  return SentFile{.name = std::move(*name),
                  .claimed_type = std::move(**type),
                  .content = content->get_string(),
                  .coding = FileCoding::kBase64};
}

Result<api::StartRun> read_json(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  SentMessage sent;
  auto message = fields->string("message");
  if (!message) return fail(std::move(message.error()));
  sent.message = std::move(*message);
  auto session_id = fields->string("session_id");
  if (!session_id) return fail(std::move(session_id.error()));
  sent.session_id = std::move(*session_id);
  const auto files = fields->array("files");
  if (!files) return fail(files.error());
  for (const auto& value : *files) {
    auto file = read_json_file(value);
    if (!file) return fail(std::move(file.error()));
    sent.files.push_back(std::move(*file));
  }
  return start_run(request, std::move(sent));
}

// ---- multipart ----

// A form sends a file field in which nothing was chosen as an empty file without a name.
bool is_left_empty(const MultipartPart& part) {
  return part.content.empty() && (!part.filename || part.filename->empty());
}

Status take_field(std::optional<std::string>& field, const MultipartPart& part) {
  if (field) return bad_field(part.name, "must be there once");
  if (!is_valid_utf8(part.content)) return fail(ErrorCode::kMalformed, "`" + part.name + "` is not valid UTF-8");
  field = std::string(part.content);
  return {};
}

Result<api::StartRun> read_form(const RouteRequest& request, std::string_view content_type) {
  const std::size_t parts_max = request.limits.chat_files_max + kOtherPartsMax;
  const auto parts = parse_multipart(content_type, request.http.body, parts_max);
  if (!parts) return fail(parts.error());
  SentMessage sent;
  for (const auto& part : *parts) {
    Status status;
    if (part.name == "message") status = take_field(sent.message, part);
    if (part.name == "session_id") status = take_field(sent.session_id, part);
    if (!status) return fail(std::move(status.error()));
    if (part.name != "files" || is_left_empty(part)) continue;
    sent.files.push_back({.name = part.filename, .claimed_type = part.content_type, .content = part.content});
  }
  return start_run(request, std::move(sent));
}

std::optional<std::string> parameter_of(const HttpRequest& http, std::string_view name) {
  const auto text = http.parameter(name);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

Result<api::StartRun> read_posted_message(const RouteRequest& request) {
  constexpr std::string_view kForm = "multipart/";
  const auto content_type = request.http.header("Content-Type").value_or("");
  const bool is_form = equals_ignoring_case(content_type.substr(0, kForm.size()), kForm);
  return is_form ? read_form(request, content_type) : read_json(request);
}

Result<api::StartRun> read_linked_message(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  SentMessage sent;
  sent.message = parameter_of(request.http, "message");
  sent.session_id = parameter_of(request.http, "session_id");
  auto command = start_run(request, std::move(sent));
  // A browser that reconnects by itself sends the same link again: that is no second question.
  if (command && command->session_id) command->attaches = true;
  return command;
}

}  // namespace braidlog::chat
