#include "server/request_handler.h"

#include <algorithm>

#include "base/check.h"
#include "base/overloaded.h"

namespace braidlog {

namespace {

// A body that nobody asked for is read and dropped, so that the connection can go on.
constexpr std::size_t kUnwantedBodyBytesMax = 64 * 1024;

std::size_t body_bytes_max(BodyRule rule, const Limits& limits) {
  switch (rule) {
    case BodyRule::kNone: return kUnwantedBodyBytesMax;
    case BodyRule::kJson: return limits.json_body_bytes_max;
    case BodyRule::kUpload: return limits.upload_bytes_max + kUnwantedBodyBytesMax;  // the multipart frame around it
  }
  return 0;
}

Error transport_problem(int status) {
  switch (status) {
    case 413: return {ErrorCode::kTooLarge, "The body is too large", {}};
    case 431: return {ErrorCode::kTooLarge, "The headers are too large", {}};
    case 503: return {ErrorCode::kUnavailable, "The server is overloaded", {}};
    case 408: return {ErrorCode::kMalformed, "The request took too long", {}};
    default: return {ErrorCode::kMalformed, "The request is not valid HTTP", {}};
  }
}

}  // namespace

RequestHandler::RequestHandler(std::vector<const Dialect*> dialects, const Authenticator& authenticator,
                               const Shards& shards, std::vector<ServerThread> threads, const Operations& operations,
                               const SiteGuard& guard, const Limits& limits)
    : dialects_(dialects),
      routes_(std::move(dialects)),
      authenticator_(authenticator),
      shards_(shards),
      threads_(std::move(threads)),
      operations_(operations),
      guard_(guard),
      limits_(limits) {}

HeadDecision RequestHandler::on_head(const HttpRequest& head) {
  HeadDecision decision = decide(head);
  if (auto* refusal = std::get_if<HttpResponse>(&decision)) let_read(head, *refusal);
  return decision;
}

HeadDecision RequestHandler::decide(const HttpRequest& head) const {
  if (auto let_in = guard_.check(head); !let_in) return owner_of(head.path).error(let_in.error());
  if (guard_.is_preflight(head)) return guard_.answer_preflight(head);
  if (operations_.answers(head.path)) {
    auto caller = authenticate(head, operations_.access(head.path));
    if (!caller) return operations_.error(caller.error());
    return TakeBody{kUnwantedBodyBytesMax};
  }
  auto found = routes_.find(head.method, head.path);
  if (const auto* miss = std::get_if<RouteMiss>(&found)) {
    return (miss->dialect ? miss->dialect : &operations_)->error(miss->error);
  }
  const auto& match = std::get<RouteMatch>(found);
  if (auto caller = authenticate(head, match.route->access); !caller) return match.dialect->error(caller.error());
  return TakeBody{body_bytes_max(match.route->body, limits_)};
}

void RequestHandler::on_request(std::shared_ptr<Exchange> exchange) {
  const HttpRequest& request = exchange->request();
  if (operations_.answers(request.path)) return exchange->respond(operations_.answer(request));
  auto found = routes_.find(request.method, request.path);
  BRAIDLOG_CHECK(std::holds_alternative<RouteMatch>(found));  // on_head() let it pass
  const auto& match = std::get<RouteMatch>(found);
  auto caller = authenticate(request, match.route->access);
  if (!caller) return exchange->respond(match.dialect->error(caller.error()));
  if (!request.query_is_valid) {
    return exchange->respond(match.dialect->error({ErrorCode::kMalformed, "The query is not valid text", {}}));
  }
  Answer answer = match.route->handle({request, match.captured, limits_});
  carry_out({std::move(exchange), match.dialect, std::move(*caller)}, std::move(answer));
}

Result<api::Caller> RequestHandler::authenticate(const HttpRequest& head, Access access) const {
  if (access == Access::kOpen) return api::Caller{};
  auto caller =
      authenticator_.authenticate({head.header("Authorization").value_or(""), head.header("Cookie").value_or("")});
  if (caller && access == Access::kAdmin && !caller->is_admin) return fail(ErrorCode::kForbidden, "Not allowed");
  return caller;
}

void RequestHandler::carry_out(Context context, Answer answer) {
  std::visit(Overloaded{
                 [&](HttpResponse& response) {
                   let_read(context.exchange->request(), response);
                   context.exchange->respond(std::move(response));
                 },
                 [&](OpenStream& stream) { open_stream(std::move(context), std::move(stream)); },
                 [&](Ask& question) {
                   ServerThread& thread = thread_of(*context.exchange);
                   const api::Caller caller = context.caller;
                   question.put(thread.service, caller, [this, context = std::move(context)](Answer next) mutable {
                     carry_out(std::move(context), std::move(next));
                   });
                 },
             },
             answer);
}

void RequestHandler::open_stream(Context context, OpenStream stream) {
  const auto at = std::ranges::find(dialects_, stream.contract, &Dialect::name);
  BRAIDLOG_CHECK(at != dialects_.end());  // a dialect names only contracts that exist
  const Dialect* shown_as = *at;
  const unsigned shard = shards_.index_of(stream.run_id);
  auto& exchange = context.exchange;
  std::vector<HttpHeader> headers;
  guard_.let_read(exchange->request(), headers);
  const auto open = [this, shown_as, stream, shard, headers](std::shared_ptr<Exchange> exchange) {
    threads_[shard].hub.open(std::move(exchange), *shown_as, stream.run_id, stream.after, headers);
  };
  if (exchange->loop().index() == shard) return open(std::move(exchange));
  // A viewer lives where its run lives.
  Exchange& moving = *exchange;
  moving.move_to(shard, [open, exchange = std::move(exchange)]() mutable { open(std::move(exchange)); });
}

// A preflight has its own answer to that.
void RequestHandler::let_read(const HttpRequest& head, HttpResponse& response) const {
  if (!guard_.is_preflight(head)) guard_.let_read(head, response.headers);
}

const Dialect& RequestHandler::owner_of(std::string_view path) const {
  const auto owner = std::ranges::find_if(dialects_, [&](const Dialect* d) { return d->owns_path(path); });
  return owner == dialects_.end() ? operations_ : **owner;
}

HttpResponse RequestHandler::transport_error(int status, const HttpRequest& head) {
  HttpResponse response = owner_of(head.path).error(transport_problem(status));
  let_read(head, response);
  response.status = status;  // 408 and 431 have no code of their own in any contract
  return response;
}

}  // namespace braidlog
