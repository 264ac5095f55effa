#include "app/wiring.h"

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <thread>

#include "base/log.h"
#include "provider/offline/failure.h"
#include "store/sqlite/data_folder.h"
#include "tool/http/http_tool.h"

namespace braidlog::app {

namespace {

constexpr unsigned kPoolThreads = 4;
constexpr unsigned kReaderThreads = 2;
constexpr std::chrono::milliseconds kDrainPoll{20};
constexpr std::chrono::milliseconds kLastWordsGrace{500};  // for viewers of runs that ended just now

// Runs `task` on the loop and waits for it.
void run_on(Loop& loop, UniqueFunction<void()> task) {
  std::latch done(1);
  loop.post([&] {
    task();
    done.count_down();
  });
  done.wait();
}

}  // namespace

std::unique_ptr<agent::Catalog> make_catalog(const AgentParts& parts) {
  const auto& [ports, limits, models, mcp_servers, sandbox] = parts;
  agent::ToolSources tools;
  tools.builtin = tool::builtin_tools(ports, limits);
  tools.make_knowledge = [&pool = ports.pool](const api::KnowledgeDocuments& documents) {
    return tool::make_knowledge_tool(documents, pool);
  };
  tools.sandbox = sandbox;
  tools.make_tool_server = [&servers = mcp_servers](const api::McpServer& server, std::function<void()> changed) {
    return servers.make(server, std::move(changed));
  };
  tools.make_http_tool = [&clients = ports.http_clients, rules = ports.outbound, environment = models.environment,
                          &limits = parts.limits](const api::HttpTool& http) {
    return tool::make_http_tool(http, clients, rules, environment, limits);
  };
  tools.environment = models.environment;
  if (!ports.search)
    tools.unavailable = {{"web_search", "needs a search engine: set BRAIDLOG_SEARXNG_URL or BRAVE_API_KEY"}};
  return std::make_unique<agent::Catalog>(
      std::move(tools), [models = models](const api::ModelSpec& spec) { return provider::choose_model(spec, models); },
      provider::offline_failure_kinds());
}

Result<std::unique_ptr<Server>> Server::make(const ServeOptions& options) {
  std::unique_ptr<Server> server(new Server(options));
  if (auto built = server->build(); !built) return fail(built.error());
  return server;
}

Status Server::build() {
  return build_stores()
      .and_then([this] { return build_agents(); })
      .and_then([this] {
        build_engine();
        return build_identity();
      })
      .map([this] { build_front(); });
}

Status Server::build_stores() {
  const Limits& limits = options_.limits;
  auto store = store::SqliteRunStore::open({.folder = options_.data,
                                            .durability = options_.durability,
                                            .disk_used_percent_max = limits.disk_used_percent_max});
  if (!store) return fail(store.error());
  store_ = std::move(*store);
  auto workspace = store::FileWorkspace::open({options_.data, limits});
  if (!workspace) return fail(workspace.error());
  workspace_ = std::move(*workspace);
  auto store_threads = StoreThreads::start(*store_, kReaderThreads);
  if (!store_threads) return fail(store_threads.error());
  store_threads_ = std::move(*store_threads);
  alerts_ = std::make_unique<StoredAlerts>(*store_threads_);
  items_ = std::make_unique<StoredItems>(*store_threads_);
  return {};
}

Status Server::build_agents() {
  const Limits& limits = options_.limits;
  pool_ = std::make_unique<ThreadPool>(kPoolThreads);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < (options_.threads ? options_.threads : cores); ++i) {
    threads_.push_back(std::make_unique<IoThread>(i, clock_));
  }
  auto http_clients = HttpClients::make(threads_, limits);
  if (!http_clients) return fail(http_clients.error());
  http_clients_ = std::move(*http_clients);
  model_servers_ = std::make_unique<provider::ModelServers>(*http_clients_, limits);
  if (!options_.alert_webhook.empty()) {
    webhook_ = std::make_unique<tool::AlertWebhook>(*alerts_, *http_clients_, options_.alert_webhook);
  }
  Alerts& alerts = webhook_ ? static_cast<Alerts&>(*webhook_) : *alerts_;
  auto search = tool::search_settings(process_environment);
  if (!search) return fail(search.error());
  outbound_ = std::make_shared<const OutboundRules>(options_.allowed_addresses);
  mcp_servers_ = std::make_unique<tool::McpServers>(limits, process_environment, outbound_);
  extractor_ = std::make_unique<sandbox::SandboxedExtractor>(limits);
  file_reader_ = std::make_unique<FileReader>(*workspace_, *pool_, *extractor_, limits);
  sandbox_ = std::make_shared<sandbox::PythonSandbox>(limits);
  agents_ = make_catalog({.ports = {*workspace_, alerts, figures_, *items_, *pool_, *http_clients_, outbound_,
                                    extractor_.get(), std::move(*search)},
                          .limits = limits,
                          .models = {*model_servers_, process_environment, options_.offline_pace},
                          .mcp_servers = *mcp_servers_,
                          .sandbox = sandbox_});
  const auto folder = options_.agents.empty() ? std::nullopt : std::optional<std::filesystem::path>(options_.agents);
  if (auto loaded = agents_->load(folder); !loaded) return loaded;
  // It says in the log when this host cannot have one; the server serves all other agents then.
  const auto agents = agents_->all();
  if (std::any_of(agents.begin(), agents.end(), [](const auto& agent) { return agent->sandbox != nullptr; })) {
    sandbox_->start();
  }
  return {};
}

void Server::build_engine() {
  const Limits& limits = options_.limits;
  std::vector<RunHost*> hosts;
  for (auto& thread : threads_) {
    hosts.push_back(hosts_.emplace_back(std::make_unique<RunHost>(*thread, *store_threads_, limits)).get());
  }
  engine_.reset(new Engine{*store_threads_, Shards(hosts), *agents_, *workspace_, *pool_, limits, "server"});
  pass_on_turns(*engine_);
  std::vector<WatchHub::Thread> watched;
  for (RunHost* host : hosts) {
    services_.push_back(std::make_unique<EngineService>(*engine_, *host));
    host->read_files_with(*file_reader_);
    const auto stop = [host](RunId run, const api::Caller& client) { host->client_gone(run, client.user_id); };
    hubs_.push_back(std::make_unique<StreamHub>(host->loop(), host->log(), *store_threads_, limits, stop));
    watched.push_back({*host, *services_.back(), hubs_.back()->source()});
  }
  watch_hubs_ = WatchHub::make_all(watched, engine_->shards, limits);
}

Status Server::build_identity() {
  auto store = store::SqliteIdentityStore::open(store::DataFolder::database_path(options_.data));
  if (!store) return fail(store.error());
  identity_store_ = std::move(*store);
  auto notice = auth::ChangeNotice::open(options_.data);
  if (!notice) return fail(notice.error());
  notice_ = std::make_unique<auth::ChangeNotice>(std::move(*notice));
  if (auto served = notice_->serve(); !served) return served;
  identities_ = std::make_unique<auth::Identities>(*identity_store_, *pool_, clock_, options_.limits, options_.dev);
  identities_->when_ended([this](const std::string& credential) {
    for (std::size_t i = 0; i < hubs_.size(); ++i) {
      threads_[i]->post([hub = hubs_[i].get(), watches = watch_hubs_[i].get(), credential] {
        hub->end_streams(credential);
        watches->end_streams(credential);
      });
    }
  });
  identity_watch_ = std::make_unique<auth::IdentityWatch>(*threads_.front(), *pool_, *identities_, *notice_);
  const auto users = identity_watch_->load();
  if (!users) return fail(users.error());
  has_users_ = *users > 0;
  engine_->accounts = identities_.get();
  return {};
}

void Server::build_front() {
  const Limits& limits = options_.limits;
  dialects_ = std::make_unique<Dialects>(limits);
  operations_ = std::make_unique<Operations>(*engine_, [this] { return http_->stats(); });
  guard_ = std::make_unique<SiteGuard>(options_.host, options_.allowed_origins, options_.dev);
  std::vector<ServerThread> threads;
  for (std::size_t i = 0; i < hubs_.size(); ++i) {
    threads.push_back({*services_[i], *hubs_[i], *watch_hubs_[i]});
  }
  handler_ = std::make_unique<RequestHandler>(dialects_->list(), *identities_, engine_->shards, std::move(threads),
                                              *operations_, *guard_, limits, TrustedProxies(options_.trusted_proxies),
                                              pool_.get());
  http_ = std::make_unique<HttpServer>(threads_, *handler_, limits);
  figures_.attach(*engine_, *http_, store_threads_->counters());
  engine_->status = &figures_;
  if (!options_.metrics) return;
  metrics_handler_ = std::make_unique<MetricsHandler>(*operations_);
  metrics_http_ = std::make_unique<HttpServer>(threads_, *metrics_handler_, limits);
}

Status Server::listen() {
  // Nothing goes on before the address is ours: until the threads start, everything posted to them waits.
  if (auto recovered = recover_runs(*engine_, *store_); !recovered) return recovered;
  if (auto listening = http_->listen(options_.host, options_.port); !listening) return listening;
  if (metrics_http_) {
    if (auto listening = metrics_http_->listen(options_.metrics->host, options_.metrics->port); !listening) {
      return listening;
    }
  }
  threads_.front()->post([this] { identity_watch_->begin(); });
  if (options_.retention.count() > 0) {
    retention_ = std::make_unique<Retention>(*threads_.front(), *store_threads_, options_.retention);
    threads_.front()->post([this] { retention_->begin(); });
  }
  for (auto& thread : threads_) thread->start();
  if (!options_.agents.empty()) agent_reload_ = std::make_unique<AgentReload>(*agents_, options_.agents);
  return {};
}

void Server::reload_agents() {
  if (agent_reload_) return agent_reload_->request();
  log_info("nothing to reload: there is no agents folder");
}

std::size_t Server::working_runs() {
  std::size_t count = 0;
  for (auto& host : hosts_) run_on(host->loop(), [&] { count += host->working_runs(); });
  return count;
}

void Server::cut_streams() {
  for (std::size_t i = 0; i < hubs_.size(); ++i) {
    run_on(*threads_[i], [&] {
      hubs_[i]->abort_all();
      watch_hubs_[i]->abort_all();
    });
  }
}

void Server::drain(std::chrono::milliseconds grace, const std::atomic<bool>& now) {
  engine_->draining = true;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  const auto waiting = [&](std::chrono::steady_clock::time_point until) {
    return !now && std::chrono::steady_clock::now() < until;
  };
  while (waiting(deadline - kLastWordsGrace) && working_runs() > 0) std::this_thread::sleep_for(kDrainPoll);
  // Runs that stop with their clients do not come back: their clients are told.
  for (auto& host : hosts_) run_on(host->loop(), [&] { host->stop_waiting_client_runs("server_stopping"); });
  for (auto& host : hosts_) run_on(host->loop(), [&] { host->stop_client_runs("server_stopping"); });
  const auto last_words = std::min(deadline, std::chrono::steady_clock::now() + kLastWordsGrace);
  while (waiting(last_words) && http_->stats().streams_open > 0) std::this_thread::sleep_for(kDrainPoll);
  http_->stop_accepting();
  if (metrics_http_) metrics_http_->stop_accepting();
  cut_streams();
}

// The threads stop first; after that everything is this thread's own, and goes in the reverse order of its making.
Server::~Server() {
  // A reload may be waiting for a server of tools that never gets ready.
  if (mcp_servers_) mcp_servers_->give_up();
  agent_reload_.reset();
  for (auto& thread : threads_) thread->stop();
  for (auto& thread : threads_) thread->join();
  pool_.reset();
  if (identities_) {
    if (auto written = identities_->write_down(); !written) {
      log_warn("the last use of cookies and keys was not written down", {{"error", written.error().message}});
    }
  }
  store_threads_.reset();
  // What the store answered meanwhile: runs that were about to begin, with their places in the engine's budgets.
  for (auto& thread : threads_) thread->drop_posted();
}

}  // namespace braidlog::app
