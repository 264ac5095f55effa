#include "tool/mcp/http_link.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "tool/mcp/header_value.h"

namespace braidlog::tool::mcp {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kResumeDelay{1'000};
constexpr int kResumesMax = 5;  // without a word in between
// A notice needs no answer, so a server that does not even take it is not waited for; and it decides how many replies
// it asks for.
constexpr milliseconds kNoticeTimeMax{5'000};
constexpr std::ptrdiff_t kNoticesMax = 32;
constexpr milliseconds kListenDelayMin{1'000};
constexpr milliseconds kListenDelayMax{60'000};
// What a server that knows sessions says of one that it does not know, besides 404.
constexpr std::int64_t kNoSuchSession = -32000;

Lost lost_by(const ExchangeEnd& end) {
  switch (end.kind) {
    case ExchangeEnd::Kind::kNotReached: return {Loss::kNotSent, "cannot be reached"};
    case ExchangeEnd::Kind::kForbidden:
      return {Loss::kNotSent, "is at an address that is not public; `addresses` of its entry can allow it"};
    case ExchangeEnd::Kind::kTooLarge: return {Loss::kTooLarge, "answered with a message over the limit"};
    case ExchangeEnd::Kind::kStatus:
      return {Loss::kRefused, "answered with HTTP status " + std::to_string(end.status), end.status};
    case ExchangeEnd::Kind::kComplete:
    case ExchangeEnd::Kind::kCut: break;
  }
  return {Loss::kUnknown, "ended the connection before it answered"};
}

}  // namespace

HttpLink::HttpLink(const HttpPlan& plan, LinkOwner& owner, Place place)
    : plan_(plan), owner_(owner), place_(std::move(place)), listen_delay_(kListenDelayMin) {}

HttpLink::~HttpLink() {
  for (auto& [key, exchange] : exchanges_) exchange->close();
  if (!session_.empty()) place_.farewells.send(outline(Method::kDelete));
}

void HttpLink::send(OutgoingMessage message) {
  if (!message.version.empty()) version_ = message.version;
  if (message.id == 0 && !has_room_for_notice()) return;
  OutgoingRequest request = outline(Method::kPost);
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "application/json, text/event-stream"});
  if (era_ != Era::kLegacy && !message.method.empty()) {
    request.headers.push_back({"Mcp-Method", message.method});
    if (!message.name.empty()) request.headers.push_back({"Mcp-Name", header_value(message.name)});
    for (auto& header : message.headers) request.headers.push_back(std::move(header));
  }
  request.body = std::move(message.text);
  const auto kind = message.id == 0 ? HttpExchange::Kind::kNotice : HttpExchange::Kind::kRequest;
  auto exchange = make_exchange(kind, message.id);
  if (kind == HttpExchange::Kind::kNotice) {
    exchange->patience = place_.loop.after(kNoticeTimeMax, [this, raw = exchange.get()] {
      const auto keep = exchanges_.at(raw);  // this runs inside its timer
      erase(*raw);
    });
  }
  open(std::move(exchange), std::move(request));
}

bool HttpLink::forget(std::int64_t id) {
  resuming_.erase(id);
  const auto found = std::find_if(exchanges_.begin(), exchanges_.end(),
                                  [&](const auto& entry) { return entry.second->request == id; });
  if (found != exchanges_.end()) erase(*found->first);
  return era_ == Era::kModern;
}

void HttpLink::speak(Era era) {
  era_ = era;
  version_.clear();  // what was tried before
}

void HttpLink::listen() {
  if (era_ != Era::kLegacy) return;
  OutgoingRequest request = outline(Method::kGet);
  request.headers.push_back({"Accept", "text/event-stream"});
  open(make_exchange(HttpExchange::Kind::kListening, 0), std::move(request));
}

// ---- what comes back ----

void HttpLink::on_head(HttpExchange& exchange, const ResponseHead& head) {
  if (exchange.kind == HttpExchange::Kind::kListening && head.status() == 200) has_listened_ = true;
  if (era_ == Era::kLegacy && exchange.kind == HttpExchange::Kind::kRequest) {
    const auto session = head.header("mcp-session-id");
    if (!session.empty() && is_header_value(session)) session_ = session;
  }
}

void HttpLink::on_text(HttpExchange& exchange, std::string_view text) {
  auto messages = read_messages(text);
  if (!messages) {
    log_debug("an MCP server sent something that is no message", {{"server", place_.server}});
    if (exchange.kind != HttpExchange::Kind::kRequest) return;
    const auto id = exchange.request;
    erase(exchange);
    return owner_.on_lost(id, {Loss::kUnreadable, "answered with something that is no message"});
  }
  bool answered = false;
  for (auto& message : *messages) {
    // Some servers answer what they refuse without saying what.
    if (message.kind == RpcMessage::Kind::kError && message.id.is_null()) message.id = exchange.request;
    answered = answered || (exchange.request != 0 && message.answered() == exchange.request);
  }
  // Closed first: the owner may forget the request while it hears of it.
  if (answered) erase(exchange);
  for (auto& message : *messages) owner_.on_message(std::move(message));
}

void HttpLink::on_end(HttpExchange& exchange, ExchangeEnd end) {
  const auto keep = exchanges_.at(&exchange);
  exchanges_.erase(&exchange);
  switch (exchange.kind) {
    case HttpExchange::Kind::kNotice: return;  // whether it was taken changes nothing
    case HttpExchange::Kind::kListening: return listen_again(exchange, end);
    case HttpExchange::Kind::kRequest: break;
  }
  if (end.kind == ExchangeEnd::Kind::kStatus) return refuse(exchange, std::move(end));
  const bool broken = end.kind == ExchangeEnd::Kind::kComplete || end.kind == ExchangeEnd::Kind::kCut ||
                      (end.kind == ExchangeEnd::Kind::kNotReached && exchange.resumed > 0);
  if (broken && resume(exchange)) return;
  Lost lost = lost_by(end);
  // The request itself was sent long ago when only its answer was being fetched.
  if (exchange.resumed > 0) lost.loss = Loss::kUnknown;
  owner_.on_lost(exchange.request, std::move(lost));
}

void HttpLink::refuse(HttpExchange& exchange, ExchangeEnd end) {
  auto messages = read_messages(end.body);
  RpcMessage* error = nullptr;
  if (messages && messages->front().kind == RpcMessage::Kind::kError) error = &messages->front();
  const bool forgotten = end.status == 404 || (end.status == 400 && error && error->error.code == kNoSuchSession);
  if (era_ == Era::kLegacy && !session_.empty() && forgotten) {
    session_.clear();  // there is nothing left to give up
    return owner_.on_lost(exchange.request, {Loss::kSessionGone, "has forgotten its session", end.status});
  }
  if (error == nullptr || exchange.resumed > 0) {
    Lost lost = lost_by(end);
    if (exchange.resumed > 0) lost.loss = Loss::kUnknown;
    return owner_.on_lost(exchange.request, std::move(lost));
  }
  error->id = exchange.request;
  owner_.on_message(std::move(*error));
}

bool HttpLink::resume(HttpExchange& exchange) {
  if (era_ != Era::kLegacy || exchange.last_event.empty()) return false;
  const int resumed = exchange.texts > 0 ? 1 : exchange.resumed + 1;
  if (resumed > kResumesMax) return false;
  const auto id = exchange.request;
  resuming_[id] = place_.loop.after(kResumeDelay, [this, id, last = exchange.last_event, resumed] {
    const auto timer = resuming_.extract(id);  // this runs inside it
    take_up(id, last, resumed);
  });
  return true;
}

void HttpLink::take_up(std::int64_t id, std::string last_event, int resumed) {
  OutgoingRequest request = outline(Method::kGet);
  request.headers.push_back({"Accept", "text/event-stream"});
  request.headers.push_back({"Last-Event-ID", last_event});
  auto exchange = make_exchange(HttpExchange::Kind::kRequest, id);
  exchange->last_event = std::move(last_event);
  exchange->resumed = resumed;
  open(std::move(exchange), std::move(request));
}

// Streams end for many reasons. A server that has none says so by its status, and is not asked again; one that had one
// and has none now was started anew, and its tools may be others.
void HttpLink::listen_again(const HttpExchange& exchange, const ExchangeEnd& end) {
  if (end.kind == ExchangeEnd::Kind::kStatus && end.status < 500) {
    if (!has_listened_) return;
    session_.clear();
    return owner_.on_down("has forgotten its session");
  }
  if (end.kind == ExchangeEnd::Kind::kForbidden) return;
  listen_delay_ = exchange.texts > 0 ? kListenDelayMin : std::min(listen_delay_ * 2, kListenDelayMax);
  listening_again_ = place_.loop.after(listen_delay_, [this] { listen(); });
}

// ---- requests ----

OutgoingRequest HttpLink::outline(Method method) const {
  OutgoingRequest request;
  request.method = method;
  request.url = plan_.url;
  request.headers = plan_.headers;
  request.rules = plan_.rules;
  if (!version_.empty()) request.headers.push_back({"MCP-Protocol-Version", version_});
  if (!session_.empty()) request.headers.push_back({"Mcp-Session-Id", session_});
  return request;
}

std::shared_ptr<HttpExchange> HttpLink::make_exchange(HttpExchange::Kind kind, std::int64_t request) {
  ExchangeOwner& owner = *this;
  return std::make_shared<HttpExchange>(kind, request, owner, place_.message_bytes_max);
}

void HttpLink::open(std::shared_ptr<HttpExchange> exchange, OutgoingRequest request) {
  HttpExchange& opened = *exchange;
  exchanges_.emplace(&opened, std::move(exchange));
  opened.start(place_.clients.on(place_.loop), std::move(request));
}

bool HttpLink::has_room_for_notice() {
  const auto open = std::ranges::count_if(
      exchanges_, [](const auto& entry) { return entry.second->kind == HttpExchange::Kind::kNotice; });
  if (open == 0) is_dropping_ = false;
  if (open < kNoticesMax) return true;
  if (!std::exchange(is_dropping_, true)) {
    log_warn("an MCP server does not take what it is sent; some of it is dropped", {{"server", place_.server}});
  }
  return false;
}

void HttpLink::erase(HttpExchange& exchange) {
  exchange.close();
  exchanges_.erase(&exchange);
}

}  // namespace braidlog::tool::mcp
