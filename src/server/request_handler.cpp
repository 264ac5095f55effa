#include "server/request_handler.h"

#include <algorithm>

#include "base/check.h"
#include "base/overloaded.h"

namespace braidlog {

namespace {

// A body that nobody asked for is read and dropped, so that the connection can go on.
constexpr std::size_t kUnwantedBodyBytesMax = 64 * 1024;
constexpr std::size_t kLargeBodyBytes = 1024 * 1024;  // some milliseconds of reading

std::size_t body_bytes_max(BodyRule rule, const Limits& limits) {
  switch (rule) {
    case BodyRule::kNone: return kUnwantedBodyBytesMax;
    case BodyRule::kJson: return limits.json_body_bytes_max;
    case BodyRule::kUpload: return limits.upload_bytes_max + kUnwantedBodyBytesMax;  // the multipart frame around it
    case BodyRule::kFiles: return limits.chat_body_bytes_max;
  }
  return 0;
}

Error transport_problem(int status) {
  switch (status) {
    case 413: return {ErrorCode::kTooLarge, "The body is too large", {}};
    case 431: return {ErrorCode::kHeadTooLarge, "The headers are too large", {}};
    case 503: return {ErrorCode::kUnavailable, "The server is overloaded", {}};
    case 408: return {ErrorCode::kTooSlow, "The request took too long", {}};
    default: return {ErrorCode::kMalformed, "The request is not valid HTTP", {}};
  }
}

// The value of a header; where it came several times, all of them as one. None: it did not come.
std::optional<std::string> all_of(const HttpRequest& head, std::string_view name, std::string_view separator) {
  std::optional<std::string> all;
  for (const HttpHeader& header : head.headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    all = all ? *all + std::string(separator) + header.value : header.value;
  }
  return all;
}

// A page of another site can make a browser send its cookie along with a form or with plain text, but not with JSON
// unless the server says so beforehand. Who comes back for the rest of a stream is not asked what the body is.
bool may_come_with_cookie(const HttpRequest& request, const Route& route) {
  if (request.body.empty() || route.body == BodyRule::kNone) return true;
  if (route.streams && (request.header("Last-Event-ID") || request.parameter("last_event_id"))) return true;
  auto type = request.header("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return equals_ignoring_case(type, "application/json") || equals_ignoring_case(type, "multipart/form-data");
}

}  // namespace

RequestHandler::RequestHandler(std::vector<const Dialect*> dialects, const Authenticator& authenticator,
                               const Shards& shards, std::vector<ServerThread> threads, const Operations& operations,
                               const SiteGuard& guard, const Limits& limits, TrustedProxies proxies, WorkerPool* pool)
    : dialects_(dialects),
      routes_(std::move(dialects)),
      authenticator_(authenticator),
      shards_(shards),
      threads_(std::move(threads)),
      operations_(operations),
      guard_(guard),
      limits_(limits),
      proxies_(std::move(proxies)),
      pool_(pool) {}

HeadDecision RequestHandler::on_head(const HttpRequest& head) {
  HeadDecision decision = decide(head);
  if (auto* refusal = std::get_if<HttpResponse>(&decision)) let_read(head, refusal->headers);
  return decision;
}

HeadDecision RequestHandler::decide(const HttpRequest& head) const {
  const ClientInfo client = proxies_.client_of(head);
  const auto found = routes_.find(head.method, head.path);
  const auto* match = std::get_if<RouteMatch>(&found);
  const SiteGuard::About about{.is_secure = client.is_secure, .starts_run = match && match->route->starts_run};
  if (auto let_in = guard_.check(head, about); !let_in) return speaker_for(head).error(let_in.error(), head.id);
  if (guard_.is_preflight(head)) return guard_.answer_preflight(head, client.is_secure);
  if (operations_.answers(head.path)) {
    auto caller = authenticate(head, client, operations_.access(head.path));
    if (!caller) return operations_.error(caller.error(), head.id);
    return TakeBody{kUnwantedBodyBytesMax};
  }
  if (const auto* miss = std::get_if<RouteMiss>(&found)) {
    return (miss->dialect ? miss->dialect : &operations_)->error(miss->error, head.id);
  }
  if (auto caller = authenticate(head, client, match->route->access); !caller) {
    return match->dialect->error(caller.error(), head.id);
  }
  return TakeBody{body_bytes_max(match->route->body, limits_)};
}

void RequestHandler::on_request(std::shared_ptr<Exchange> exchange) {
  const HttpRequest& request = exchange->request();
  if (operations_.answers(request.path)) return exchange->respond(operations_.answer(request));
  const ClientInfo client = proxies_.client_of(request);
  auto found = routes_.find(request.method, request.path);
  BRAIDLOG_CHECK(std::holds_alternative<RouteMatch>(found));  // on_head() let it pass
  const auto& match = std::get<RouteMatch>(found);
  const auto refuse = [&](const Error& error) {
    HttpResponse refusal = match.dialect->error(error, request.id);
    let_read(request, refusal.headers);
    exchange->respond(std::move(refusal));
  };
  auto caller = authenticate(request, client, match.route->access);
  if (!caller) return refuse(caller.error());
  if (!request.query_is_valid) return refuse({ErrorCode::kMalformed, "The query is not valid text", {}});
  if (caller->kind == api::CredentialKind::kCookie && !may_come_with_cookie(request, *match.route)) {
    return refuse({ErrorCode::kMalformed, "The body must be sent as application/json or multipart/form-data", {}});
  }
  const bool is_large = request.body.size() > kLargeBodyBytes && pool_ != nullptr;
  Context context{std::move(exchange), match.dialect, std::move(*caller)};
  if (is_large) return read_on_pool(std::move(context), match, client);
  Answer answer = match.route->handle({request, match.captured, limits_, client});
  carry_out(std::move(context), std::move(answer));
}

// Nobody changes a request before it is answered, and handlers are pure.
void RequestHandler::read_on_pool(Context context, RouteMatch match, ClientInfo client) {
  Loop& loop = context.exchange->loop();
  pool_->run([this, &loop, context = std::move(context), match = std::move(match), client]() mutable {
    Answer answer = match.route->handle({context.exchange->request(), match.captured, limits_, client});
    loop.post([this, context = std::move(context), answer = std::move(answer)]() mutable {
      carry_out(std::move(context), std::move(answer));
    });
  });
}

Result<api::Caller> RequestHandler::authenticate(const HttpRequest& head, const ClientInfo& client,
                                                 Access access) const {
  if (access == Access::kOpen) return api::Caller{};
  const auto authorization = all_of(head, "Authorization", ", ");
  const auto cookie = all_of(head, "Cookie", "; ");
  auto caller = authenticator_.authenticate({authorization, cookie ? *cookie : "", client.is_secure});
  if (!caller) return caller;
  if (access == Access::kCredential && caller->kind == api::CredentialKind::kNone) {
    return fail(ErrorCode::kUnauthorized, "Authentication required");
  }
  if (access == Access::kAdmin && !caller->is_admin) return fail(ErrorCode::kForbidden, "Not allowed");
  return caller;
}

void RequestHandler::carry_out(Context context, Answer answer) {
  std::visit(Overloaded{
                 [&](HttpResponse& response) {
                   let_read(context.exchange->request(), response.headers);
                   context.exchange->respond(std::move(response));
                 },
                 [&](OpenStream& stream) { open_stream(std::move(context), std::move(stream)); },
                 [&](OpenWatch& watch) { open_watch(std::move(context), std::move(watch)); },
                 [&](AwaitRun& run) { await_run(std::move(context), std::move(run)); },
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
  at_hub(std::move(context), stream.run_id,
         [shown_as = named(stream.contract), stream](StreamHub& hub, StreamHub::Request request) {
           request.dialect = shown_as;
           request.after = stream.after;
           request.role = stream.role;
           hub.open(std::move(request));
         });
}

const Dialect* RequestHandler::named(std::string_view dialect) const {
  const auto at = std::ranges::find(dialects_, dialect, &Dialect::name);
  BRAIDLOG_CHECK(at != dialects_.end());  // a dialect names only contracts that exist
  return *at;
}

// It lives where its connection lives: its runs live on all threads.
void RequestHandler::open_watch(Context context, OpenWatch watch) {
  WatchHub& hub = thread_of(*context.exchange).watches;
  WatchStream::Setup setup{.exchange = context.exchange};
  for (const auto& one : watch.watches) setup.views.push_back(named(one.view));
  setup.open = std::move(watch);
  setup.caller = context.caller;
  let_read(context.exchange->request(), setup.headers);
  hub.open(std::move(setup));
  // From now on the hub hears of it when the credential ends; it may have ended since the request began.
  if (!authenticator_.is_still_good(context.caller)) hub.end_streams(context.caller.credential);
}

void RequestHandler::await_run(Context context, AwaitRun run) {
  const RunId run_id = run.run_id;
  at_hub(std::move(context), run_id, [run = std::move(run)](StreamHub& hub, StreamHub::Request request) mutable {
    request.role = run.role;
    hub.wait(std::move(request), std::move(run.render));
  });
}

// A viewer lives where its run lives.
void RequestHandler::at_hub(Context context, RunId run_id, UniqueFunction<void(StreamHub&, StreamHub::Request)> then) {
  const unsigned shard = shards_.index_of(run_id);
  StreamHub::Request request{.exchange = context.exchange, .dialect = context.dialect, .run_id = run_id};
  request.caller = std::move(context.caller);
  let_read(context.exchange->request(), request.headers);
  auto open = [this, shard, then = std::move(then)](StreamHub::Request request) mutable {
    const api::Caller caller = request.caller;
    then(threads_[shard].hub, std::move(request));
    // From now on the hub hears of it when the credential ends; it may have ended since the request began.
    if (!authenticator_.is_still_good(caller)) threads_[shard].hub.end_streams(caller.credential);
  };
  if (context.exchange->loop().index() == shard) return open(std::move(request));
  context.exchange->move_to(
      shard, [request = std::move(request), open = std::move(open)]() mutable { open(std::move(request)); });
}

// A preflight has its own answer to that.
void RequestHandler::let_read(const HttpRequest& head, std::vector<HttpHeader>& headers) const {
  if (guard_.is_preflight(head) || !head.header("Origin")) return;
  guard_.let_read(head, proxies_.client_of(head).is_secure, headers);
}

const Dialect& RequestHandler::speaker_for(const HttpRequest& head) const {
  const auto found = routes_.find(head.method, head.path);
  if (const auto* match = std::get_if<RouteMatch>(&found)) return *match->dialect;
  const auto owner = std::ranges::find_if(dialects_, [&](const Dialect* d) { return d->owns_path(head.path); });
  return owner == dialects_.end() ? operations_ : **owner;
}

HttpResponse RequestHandler::transport_error(int status, const HttpRequest& head) {
  HttpResponse response = speaker_for(head).error(transport_problem(status), head.id);
  let_read(head, response.headers);
  return response;
}

}  // namespace braidlog
