#include "sim_server.h"

#include <algorithm>

namespace braidlog::sim {

Result<api::Caller> SimAuthenticator::authenticate(const Credentials& credentials) const {
  constexpr std::string_view kScheme = "Bearer ";
  const auto shown = credentials.authorization.value_or("");
  if (!shown.starts_with(kScheme)) return fail(ErrorCode::kUnauthorized, "Authentication required");
  api::Caller caller{std::string(shown.substr(kScheme.size()))};
  caller.kind = api::CredentialKind::kKey;
  caller.credential = "key of " + caller.user_id;
  return caller;
}

SimServer::SimServer(World& world, Checker& checker, unsigned generation)
    : world_(world),
      generation_(generation),
      store_(world, checker),
      queue_(world, store_),
      agents_(world, checker, generation > 1) {
  const Limits& limits = world.profile.limits;
  std::vector<RunHost*> hosts;
  for (unsigned i = 0; i < world.profile.loops; ++i) {
    auto& loop = *loops_.emplace_back(std::make_unique<SimLoop>(world.clock, i));
    queue_.serve(loop);
    IdSource ids(world.clock, world.random.next());
    hosts.push_back(hosts_.emplace_back(std::make_unique<RunHost>(loop, queue_, limits, ids)).get());
  }
  engine_.reset(
      new Engine{queue_, Shards(hosts), agents_, workspace_, pool_, limits, "server-" + std::to_string(generation)});
  pass_on_turns(*engine_);
  std::vector<WatchHub::Thread> watched;
  for (RunHost* host : hosts) {
    EngineService& service = *services_.emplace_back(std::make_unique<EngineService>(*engine_, *host));
    const auto stop = [host](RunId run, const api::Caller& client) { host->client_gone(run, client.user_id); };
    hubs_.push_back(std::make_unique<StreamHub>(host->loop(), host->log(), queue_, limits, stop));
    watched.push_back({*host, service, hubs_.back()->source()});
  }
  watch_hubs_ = WatchHub::make_all(watched, engine_->shards, limits);
  std::vector<ServerThread> threads;
  for (std::size_t i = 0; i < hubs_.size(); ++i) threads.push_back({*services_[i], *hubs_[i], *watch_hubs_[i]});
  operations_ = std::make_unique<Operations>(*engine_, [] { return NetStats(); });
  handler_ = std::make_unique<RequestHandler>(checker.dialects().list(), authenticator_, engine_->shards,
                                              std::move(threads), *operations_, guard_, limits);
}

// As ~Server: what is under way goes before the engine, whose budgets it has places in.
SimServer::~SimServer() {
  queue_.drop();
  for (auto& loop : loops_) loop->drop_ready();
}

void SimServer::stop_client_runs() {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    loops_[i]->post([host = hosts_[i].get()] { host->stop_client_runs("server_stopping"); });
  }
}

void SimServer::cut_streams() {
  for (std::size_t i = 0; i < hubs_.size(); ++i)
    loops_[i]->post([hub = hubs_[i].get(), watches = watch_hubs_[i].get()] {
      hub->abort_all();
      watches->abort_all();
    });
}

std::shared_ptr<SimExchange> SimServer::receive(HttpRequest request, SimExchange::Watcher watcher) {
  std::vector<Loop*> loops;
  for (auto& loop : loops_) loops.push_back(loop.get());
  const auto index = static_cast<unsigned>(world_.random.below(loops.size()));
  auto exchange = std::make_shared<SimExchange>(std::move(loops), index, std::move(request), std::move(watcher));
  loops_[index]->post([this, exchange] {
    auto decision = handler_->on_head(exchange->request());
    if (auto* refusal = std::get_if<HttpResponse>(&decision)) return exchange->respond(std::move(*refusal));
    handler_->on_request(exchange);
  });
  return exchange;
}

bool SimServer::can_run(const SimLoop& loop) const {
  const auto due = loop.next_due();
  return !loop.idle() || (due && *due <= world_.clock.mono());
}

std::size_t SimServer::moves() const {
  const auto ready = std::ranges::count_if(loops_, [&](const auto& loop) { return can_run(*loop); });
  return static_cast<std::size_t>(ready) + (queue_.can_write() ? 1 : 0) + (queue_.can_read() ? 1 : 0);
}

void SimServer::move(std::size_t which) {
  for (auto& loop : loops_) {
    if (!can_run(*loop) || which-- > 0) continue;
    // A due timer and a ready task have no order between them.
    if (loop->idle() || world_.random.percent(30)) {
      if (loop->run_due()) return;
    }
    loop->run_one();
    return;
  }
  if (queue_.can_write() && which-- == 0) return queue_.write_step();
  queue_.read_step();
}

std::optional<MonoTime> SimServer::next_due() const {
  std::optional<MonoTime> next;
  for (const auto& loop : loops_) {
    const auto due = loop->next_due();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

// Looked at where the budget is small, and so as if everything in it were taken at once.
bool SimServer::has_whole_budget() const {
  constexpr std::size_t kSmall = 10;
  const std::size_t most = world_.profile.limits.user_runs_max;
  if (most > kSmall) return true;
  api::Caller ann{"ann"};
  ann.kind = api::CredentialKind::kKey;
  std::vector<UserBudgets::Place> places;
  for (std::size_t i = 0; i < most; ++i) {
    auto place = engine_->budgets.take(ann, world_.clock.mono());
    if (!place) return false;
    places.push_back(std::move(*place));
  }
  return true;
}

std::string SimServer::leftovers() const {
  std::string out;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const std::string where = " on loop " + std::to_string(i);
    if (hosts_[i]->open_runs() > 0) out += ", a run in its host" + where;
    if (hosts_[i]->log().open_runs() > 0) out += ", a run in its log" + where;
    if (loops_[i]->timer_count() > 0) out += ", a timer" + where;
  }
  if (!has_whole_budget()) out += ", a run in its user's budget";
  if (world_.live_model_calls > 0) out += ", a model call";
  if (world_.live_tool_runs > 0) out += ", a tool run";
  if (world_.live_sandboxes > 0) out += ", a sandbox";
  return out.empty() ? out : out.substr(2);
}

}  // namespace braidlog::sim
