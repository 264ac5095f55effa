#include "dialect/files/posted_message.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <utility>

#include "base/utf8.h"
#include "wire/multipart.h"

namespace braidlog::files {

namespace {

constexpr std::size_t kOtherPartsMax = 16;  // of a form, beside its files

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

// A form sends a file field in which nothing was chosen as an empty file without a name.
bool is_left_empty(const MultipartPart& part) {
  return part.content.empty() && (!part.filename || part.filename->empty());
}

}  // namespace

Result<PostedMessage> PostedMessage::read(const RouteRequest& request, std::initializer_list<std::string_view> names) {
  constexpr std::string_view kForm = "multipart/";
  const auto content_type = request.http.header("Content-Type").value_or("");
  const bool is_form = equals_ignoring_case(content_type.substr(0, kForm.size()), kForm);
  return is_form ? read_form(request, content_type, names) : read_json(request, names);
}

std::optional<std::string> PostedMessage::field(std::string_view name) const {
  const auto at = fields_.find(name);
  return at == fields_.end() ? std::nullopt : std::optional(at->second);
}

Result<PostedMessage> PostedMessage::read_json(const RouteRequest& request,
                                               std::initializer_list<std::string_view> names) {
  auto body = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!body) return fail(std::move(body.error()));
  PostedMessage posted;
  posted.body_ = std::make_unique<const BodyFields>(std::move(*body));
  for (const auto name : names) {
    auto value = posted.body_->string(name);
    if (!value) return fail(std::move(value.error()));
    if (*value) posted.fields_.emplace(name, std::move(**value));
  }
  const auto files = posted.body_->array("files");
  if (!files) return fail(files.error());
  for (const auto& value : *files) {
    auto file = read_json_file(value);
    if (!file) return fail(std::move(file.error()));
    posted.files_.push_back(std::move(*file));
  }
  return posted;
}

Result<PostedMessage> PostedMessage::read_form(const RouteRequest& request, std::string_view content_type,
                                               std::initializer_list<std::string_view> names) {
  const std::size_t parts_max = request.limits.chat_files_max + kOtherPartsMax;
  const auto parts = parse_multipart(content_type, request.http.body, parts_max);
  if (!parts) return fail(parts.error());
  PostedMessage posted;
  for (const auto& part : *parts) {
    if (part.name == "files" && !is_left_empty(part)) {
      posted.files_.push_back({.name = part.filename, .claimed_type = part.content_type, .content = part.content});
    }
    if (std::ranges::find(names, part.name) == names.end()) continue;
    if (!is_valid_utf8(part.content)) return fail(ErrorCode::kMalformed, "`" + part.name + "` is not valid UTF-8");
    const bool is_first = posted.fields_.emplace(part.name, part.content).second;
    if (!is_first) return bad_field(part.name, "must be there once");
  }
  return posted;
}

}  // namespace braidlog::files
