#include "tool/mcp/session.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "base/version.h"
#include "tool/mcp/protocol_versions.h"

namespace braidlog::tool::mcp {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPagesMax = 100;
constexpr std::size_t kToolBytesMax = 512 * 1024;
constexpr std::size_t kListBytesMax = 16 * 1024 * 1024;
constexpr std::size_t kLabelBytesMax = 100;
// Servers that change many tools say so many times.
constexpr milliseconds kListDelay{200};
constexpr milliseconds kSubscribeDelayMin{1'000};
constexpr milliseconds kSubscribeDelayMax{60'000};

}  // namespace

Session::Session(SessionOwner& owner, Loop& loop, const Limits& limits, std::string server)
    : owner_(owner),
      loop_(loop),
      limits_(limits),
      server_(std::move(server)),
      requests_(loop, [this](std::int64_t id) { tell_cancelled(id, "it took too long"); }),
      subscribe_delay_(kSubscribeDelayMin) {}

Session::~Session() {
  state_ = State::kOver;
}

// ---- calls ----

std::int64_t Session::call(ToolCall call, OnAnswer on_answer) {
  const auto id = requests_.open(call.patience, std::move(on_answer));
  json::object with = params();
  with["name"] = call.name;
  with["arguments"] = std::move(call.arguments);
  auto& meta = with["_meta"];
  if (!meta.is_object()) meta = json::object{};
  meta.get_object()["progressToken"] = id;
  send_request(id, "tools/call", with, &call);
  return id;
}

void Session::cancel(std::int64_t call) {
  if (!requests_.has(call)) return;
  requests_.forget(call);
  tell_cancelled(call, "nobody waits for it any more");
}

void Session::tell_cancelled(std::int64_t id, std::string_view reason) {
  if (state_ == State::kOver || id == initialization_) return;
  if (link_->forget(id)) return;
  tell("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
}

// ---- tools ----

void Session::list_tools(std::string cursor) {
  if (cursor.empty()) {
    listing_ = true;
    list_is_old_ = false;
    listed_.clear();
    pages_ = 0;
    listed_bytes_ = 0;
  }
  json::object with = params();
  if (!cursor.empty()) with["cursor"] = cursor;
  request("tools/list", std::move(with), {limits_.mcp_start_timeout, limits_.mcp_start_timeout},
          [this, cursor](Answer answer) { take_tools(std::move(answer), cursor); });
}

void Session::take_tools(Answer answer, const std::string& cursor) {
  if (state_ == State::kOver) return;
  if (auto* lost = std::get_if<Lost>(&answer)) {
    listing_ = false;
    if (state_ == State::kStarting || lost->loss == Loss::kSessionGone) return end(std::move(lost->why));
    log_warn("an MCP server did not list its tools again", {{"server", server_}, {"why", lost->why}});
    return;
  }
  if (const auto* error = std::get_if<RpcError>(&answer)) {
    listing_ = false;
    // A server of prompts and resources alone has no such method.
    if (error->code == kMethodNotFound) return tools_are_known();
    if (state_ == State::kStarting) return end("did not list its tools: " + error->message);
    log_warn("an MCP server did not list its tools again",
             {{"server", server_}, {"code", std::to_string(error->code)}});
    return;
  }
  const auto* result = std::get<json::value>(answer).if_object();
  const auto* tools = result == nullptr ? nullptr : array_member(*result, "tools");
  const bool room = tools == nullptr || take_page(*tools);
  const std::string next = result == nullptr ? "" : string_member(*result, "nextCursor");
  const bool more = room && !next.empty() && next != cursor && ++pages_ < kPagesMax;
  more ? list_tools(next) : tools_are_known();
}

bool Session::take_page(const json::array& tools) {
  for (const auto& tool : tools) {
    if (!tool.is_object()) continue;
    if (listed_.size() > limits_.mcp_tools_max) return false;  // one more than allowed: whoever sees them says so
    const auto size = to_json(tool).size();
    listed_bytes_ += size;
    if (listed_bytes_ > kListBytesMax) {
      log_warn("an MCP server lists more than is read; the rest of its tools is left out", {{"server", server_}});
      return false;
    }
    if (size <= kToolBytesMax) {
      listed_.push_back(tool.get_object());
      continue;
    }
    const auto name = string_member(tool.get_object(), "name");
    log_warn("a tool of an MCP server is left out", {{"server", server_},
                                                     {"tool", std::string(utf8_prefix(name, kLabelBytesMax))},
                                                     {"why", "what the server says of it is too large"}});
  }
  return listed_.size() <= limits_.mcp_tools_max;
}

void Session::tools_are_known() {
  listing_ = false;
  const bool first = state_ == State::kStarting;
  state_ = State::kReady;
  start_timer_.reset();
  const auto tools = std::exchange(listed_, {});
  owner_.on_tools(tools, era_);
  if (list_is_old_) list_again();
  if (!first || !changes_are_told_) return;
  era_ == Era::kModern ? subscribe() : link_->listen();
}

void Session::list_again() {
  list_is_old_ = true;
  if (listing_ || state_ != State::kReady) return;  // looked at when the list is there
  list_timer_ = loop_.after(kListDelay, [this] {
    if (!listing_) list_tools();
  });
}

// Modern servers tell of changes only to who asks, for as long as the request is open.
void Session::subscribe() {
  json::object with = params();
  with["notifications"] = json::object{{"toolsListChanged", true}};
  request("subscriptions/listen", std::move(with), {}, [this](Answer answer) {
    if (state_ == State::kOver || std::holds_alternative<RpcError>(answer)) return;
    const auto* lost = std::get_if<Lost>(&answer);
    if (lost != nullptr && lost->loss == Loss::kRefused && lost->status < 500) return;
    subscribe_timer_ = loop_.after(subscribe_delay_, [this] {
      subscribe_delay_ = std::min(subscribe_delay_ * 2, kSubscribeDelayMax);
      subscribe();
      list_again();  // what was missed in between
    });
  });
}

// ---- what comes ----

void Session::on_message(RpcMessage message) {
  if (state_ == State::kOver) return;
  switch (message.kind) {
    case RpcMessage::Kind::kResult: return requests_.answer(message.answered(), std::move(message.result));
    case RpcMessage::Kind::kError: return requests_.answer(message.answered(), std::move(message.error));
    case RpcMessage::Kind::kRequest: return take_request(message);
    case RpcMessage::Kind::kNotification: return take_notification(message);
  }
}

// We declare no capabilities, so a server has nothing to ask but whether we live.
void Session::take_request(const RpcMessage& asked) {
  if (era_ == Era::kModern) return;  // there are no such requests, and no answers to them
  OutgoingMessage reply;
  reply.version = version_;
  reply.text = asked.method == "ping" ? result_text(asked.id, {})
                                      : error_text(asked.id, kMethodNotFound, "this client does not offer that");
  if (asked.method != "ping") {
    log_info("an MCP server asked for what it cannot have",
             {{"server", server_}, {"method", std::string(utf8_prefix(asked.method, kLabelBytesMax))}});
  }
  link_->send(std::move(reply));
}

void Session::take_notification(const RpcMessage& told) {
  if (told.method == "notifications/tools/list_changed") return list_again();
  if (told.method != "notifications/progress") return;
  const auto* token = told.params.if_contains("progressToken");
  if (token != nullptr) requests_.extend(integer_of(*token).value_or(0));
}

void Session::on_lost(std::int64_t id, Lost lost) {
  if (state_ != State::kOver) requests_.answer(id, std::move(lost));
}

void Session::on_down(std::string why) {
  end(std::move(why));
}

void Session::end(std::string why) {
  if (state_ == State::kOver) return;
  close(why);
  owner_.on_ended(std::move(why));
}

void Session::close(const std::string& why) {
  if (std::exchange(state_, State::kOver) == State::kOver) return;
  start_timer_.reset();
  probe_timer_.reset();
  list_timer_.reset();
  subscribe_timer_.reset();
  requests_.lose_all({Loss::kUnknown, why});
}

// ---- requests ----

json::object Session::params() const {
  if (era_ != Era::kModern) return {};
  return {{"_meta", json::object{{"io.modelcontextprotocol/protocolVersion", version_},
                                 {"io.modelcontextprotocol/clientCapabilities", json::object{}},
                                 {"io.modelcontextprotocol/clientInfo",
                                  json::object{{"name", kClientName}, {"version", kVersion}}}}}};
}

std::int64_t Session::request(std::string method, json::object with, Patience patience, OnAnswer on_answer) {
  const auto id = requests_.open(patience, std::move(on_answer));
  send_request(id, std::move(method), with, nullptr);
  return id;
}

void Session::send_request(std::int64_t id, std::string method, const json::object& with, const ToolCall* call) {
  OutgoingMessage message;
  message.text = request_text(id, method, with);
  message.id = id;
  message.method = std::move(method);
  message.version = version_;
  if (call != nullptr) {
    message.name = call->name;
    message.headers = call->headers;
  }
  link_->send(std::move(message));
}

void Session::tell(std::string_view method, const json::object& with) {
  OutgoingMessage message;
  message.text = notification_text(method, with);
  message.version = version_;
  link_->send(std::move(message));
}

}  // namespace braidlog::tool::mcp
