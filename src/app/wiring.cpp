#include "app/wiring.h"

#include <condition_variable>
#include <latch>
#include <thread>

#include "provider/offline/failure.h"
#include "tool/builtin_tools.h"

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

Result<api::Caller> DevAuthenticator::authenticate(const Credentials& credentials) const {
  // No keys exist yet, so every one that is shown is a bad one.
  if (!dev_ || !credentials.authorization.empty()) return fail(ErrorCode::kUnauthorized, "Authentication required");
  return api::Caller{"demo", true};
}

std::unique_ptr<agent::Catalog> make_catalog(Workspace& workspace, WorkerPool& pool, const Limits& limits,
                                             const provider::ModelSources& models) {
  return std::make_unique<agent::Catalog>(
      tool::builtin_tools(workspace, pool, limits),
      [models](const api::ModelSpec& spec) { return provider::choose_model(spec, models); },
      provider::offline_failure_kinds());
}

Result<std::unique_ptr<Server>> Server::make(const ServeOptions& options) {
  std::unique_ptr<Server> server(new Server(options));
  if (auto built = server->build(); !built) return fail(built.error());
  return server;
}

Status Server::build() {
  const Limits& limits = options_.limits;
  auto store = store::SqliteRunStore::open({.folder = options_.data,
                                            .durability = options_.durability,
                                            .disk_used_percent_max = limits.disk_used_percent_max});
  if (!store) return fail(store.error());
  store_ = std::move(*store);
  auto workspace = store::FileWorkspace::open({options_.data, limits});
  if (!workspace) return fail(workspace.error());
  workspace_ = std::move(*workspace);
  pool_ = std::make_unique<ThreadPool>(kPoolThreads);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < (options_.threads ? options_.threads : cores); ++i) {
    threads_.push_back(std::make_unique<IoThread>(i, clock_));
  }
  auto http_clients = HttpClients::make(threads_, limits);
  if (!http_clients) return fail(http_clients.error());
  http_clients_ = std::move(*http_clients);
  openai_ = std::make_unique<provider::OpenAiProvider>(*http_clients_, limits);
  agents_ = make_catalog(*workspace_, *pool_, limits, {*openai_, provider::process_environment, options_.offline_pace});
  const auto folder = options_.agents.empty() ? std::nullopt : std::optional<std::filesystem::path>(options_.agents);
  if (auto loaded = agents_->load(folder); !loaded) return loaded;

  auto store_threads = StoreThreads::start(*store_, kReaderThreads);
  if (!store_threads) return fail(store_threads.error());
  store_threads_ = std::move(*store_threads);

  std::vector<RunHost*> hosts;
  for (auto& thread : threads_) {
    hosts.push_back(hosts_.emplace_back(std::make_unique<RunHost>(*thread, *store_threads_, limits)).get());
  }
  engine_.reset(new Engine{*store_threads_, Shards(hosts), *agents_, *workspace_, *pool_, limits, "server"});
  std::vector<ServerThread> server_threads;
  for (RunHost* host : hosts) {
    services_.push_back(std::make_unique<EngineService>(*engine_, *host));
    hubs_.push_back(std::make_unique<StreamHub>(host->loop(), host->log(), *store_threads_, limits));
    server_threads.push_back({*services_.back(), *hubs_.back()});
  }
  runs_ = std::make_unique<RunsDialect>(limits);
  authenticator_ = std::make_unique<DevAuthenticator>(options_.dev);
  operations_ = std::make_unique<Operations>(*engine_, [this]() -> const NetStats& { return http_->stats(); });
  guard_ = std::make_unique<SiteGuard>(options_.host, options_.allowed_origins, options_.dev);
  handler_ =
      std::make_unique<RequestHandler>(std::vector<const Dialect*>{runs_.get()}, *authenticator_, engine_->shards,
                                       std::move(server_threads), *operations_, *guard_, limits);
  http_ = std::make_unique<HttpServer>(threads_, *handler_, limits);
  return {};
}

Status Server::listen() {
  // Nothing goes on before the address is ours: until the threads start, everything posted to them waits.
  if (auto recovered = recover_runs(*engine_, *store_); !recovered) return recovered;
  if (auto listening = http_->listen(options_.host, options_.port); !listening) return listening;
  if (options_.retention.count() > 0) {
    retention_ = std::make_unique<Retention>(*threads_.front(), *store_threads_, options_.retention);
    threads_.front()->post([this] { retention_->begin(); });
  }
  for (auto& thread : threads_) thread->start();
  return {};
}

std::size_t Server::working_runs() {
  std::size_t count = 0;
  for (auto& host : hosts_) run_on(host->loop(), [&] { count += host->working_runs(); });
  return count;
}

void Server::cut_streams() {
  for (std::size_t i = 0; i < hubs_.size(); ++i) run_on(*threads_[i], [&] { hubs_[i]->abort_all(); });
}

void Server::drain(std::chrono::milliseconds grace, const std::atomic<bool>& now) {
  engine_->draining = true;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  const auto waiting = [&] { return !now && std::chrono::steady_clock::now() < deadline; };
  while (waiting() && working_runs() > 0) std::this_thread::sleep_for(kDrainPoll);
  const auto last_words = std::min(deadline, std::chrono::steady_clock::now() + kLastWordsGrace);
  while (waiting() && std::chrono::steady_clock::now() < last_words && http_->stats().streams_open > 0) {
    std::this_thread::sleep_for(kDrainPoll);
  }
  http_->stop_accepting();
  cut_streams();
}

// The threads stop first; after that everything is this thread's own, and goes in the reverse order of its making.
Server::~Server() {
  for (auto& thread : threads_) thread->stop();
  for (auto& thread : threads_) thread->join();
  pool_.reset();
  store_threads_.reset();
}

}  // namespace braidlog::app
