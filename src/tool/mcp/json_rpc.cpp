#include "tool/mcp/json_rpc.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace braidlog::tool::mcp {

namespace {

constexpr double kExactIntegerMax = 9007199254740992.0;  // 2^53

std::optional<RpcError> error_of(const json::object& object) {
  const auto* error = object_member(object, "error");
  if (error == nullptr) return std::nullopt;
  RpcError out;
  if (const auto* code = error->if_contains("code")) out.code = integer_of(*code).value_or(0);
  out.message = string_member(*error, "message");
  if (const auto* data = error->if_contains("data")) out.data = *data;
  return out;
}

std::optional<RpcMessage> message_of(json::value& value) {
  auto* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  RpcMessage message;
  const auto* id = object->if_contains("id");
  if (id != nullptr) message.id = *id;
  message.method = string_member(*object, "method");
  if (!message.method.empty()) {
    message.kind = id == nullptr ? RpcMessage::Kind::kNotification : RpcMessage::Kind::kRequest;
    if (auto* params = object->if_contains("params"); params != nullptr && params->is_object()) {
      message.params = std::move(params->get_object());
    }
    return message;
  }
  if (auto error = error_of(*object)) {
    message.kind = RpcMessage::Kind::kError;
    message.error = std::move(*error);
    return message;
  }
  auto* result = object->if_contains("result");
  if (result == nullptr || id == nullptr) return std::nullopt;
  message.kind = RpcMessage::Kind::kResult;
  message.result = std::move(*result);
  return message;
}

void skip_space(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r')) text.remove_prefix(1);
}

bool skip(std::string_view& text, std::string_view what) {
  skip_space(text);
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// What follows `"id"`.
std::optional<std::int64_t> read_id(std::string_view text) {
  if (!skip(text, ":")) return std::nullopt;
  skip_space(text);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  skip_space(text);
  if (!text.empty() && text.front() != ',' && text.front() != '}') return std::nullopt;
  return id;
}

std::string with_id(const json::value& id, std::string_view member, std::string_view value) {
  std::string out;
  JsonWriter(out)
      .begin_object()
      .key("jsonrpc")
      .string("2.0")
      .key("id")
      .raw(to_json(id))
      .key(member)
      .raw(value)
      .end_object();
  return out;
}

}  // namespace

std::int64_t RpcMessage::answered() const {
  if (kind != Kind::kResult && kind != Kind::kError) return 0;
  return integer_of(id).value_or(0);
}

Result<std::vector<RpcMessage>> read_messages(std::string_view text) {
  auto value = parse_json(text);
  if (!value) return fail(value.error());
  std::vector<RpcMessage> out;
  if (auto* batch = value->if_array()) {
    std::size_t requests = 0;
    for (auto& item : *batch) {
      auto message = message_of(item);
      if (!message) continue;
      if (message->kind == RpcMessage::Kind::kRequest && ++requests > kRequestsPerBatchMax) continue;
      out.push_back(std::move(*message));
    }
  } else if (auto message = message_of(*value)) {
    out.push_back(std::move(*message));
  }
  if (out.empty()) return fail(ErrorCode::kMalformed, "no JSON-RPC message");
  return out;
}

std::optional<std::int64_t> guess_answered(std::string_view head, std::string_view tail) {
  if (skip(head, "{")) {
    if (skip(head, R"("jsonrpc")")) {
      skip(head, ":");
      skip(head, R"("2.0")");
      skip(head, ",");
    }
    if (skip(head, R"("id")")) {
      if (const auto id = read_id(head)) return id;
    }
  }
  const auto at = tail.rfind(R"("id")");
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = tail.substr(at + 4);
  // Only the end of the whole message may follow: a nested "id" has more behind it than one brace.
  const auto brace = rest.find('}');
  if (brace == std::string_view::npos || rest.find_first_not_of(" \t\r\n", brace + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return read_id(rest);
}

std::string request_text(std::int64_t id, std::string_view method, const json::object& params) {
  std::string out;
  JsonWriter(out)
      .begin_object()
      .key("jsonrpc")
      .string("2.0")
      .key("id")
      .number(id)
      .key("method")
      .string(method)
      .key("params")
      .raw(to_json(params))
      .end_object();
  return out;
}

std::string notification_text(std::string_view method, const json::object& params) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object().key("jsonrpc").string("2.0").key("method").string(method);
  if (!params.empty()) writer.key("params").raw(to_json(params));
  writer.end_object();
  return out;
}

std::string result_text(const json::value& id, const json::object& result) {
  return with_id(id, "result", to_json(result));
}

std::string error_text(const json::value& id, std::int64_t code, std::string_view message) {
  std::string error;
  JsonWriter(error).begin_object().key("code").number(code).key("message").string(message).end_object();
  return with_id(id, "error", error);
}

std::string string_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

const json::object* object_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* array_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}

bool true_member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<std::int64_t> integer_of(const json::value& value) {
  if (const auto* number = value.if_int64()) return *number;
  if (const auto* number = value.if_double()) {
    if (std::trunc(*number) == *number && std::fabs(*number) < kExactIntegerMax)
      return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

}  // namespace braidlog::tool::mcp
