// The parts of a server, in the order in which they are built.
#pragma once

#include <memory>
#include <vector>

#include "agent/catalog.h"
#include "app/options.h"
#include "dialect/runs/routes.h"
#include "engine/service.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/worker_pool.h"
#include "provider/model_choice.h"
#include "runlog/retention.h"
#include "runlog/store_threads.h"
#include "server/operations.h"
#include "server/request_handler.h"
#include "server/site_guard.h"
#include "server/stream_hub.h"
#include "store/sqlite/run_store.h"
#include "store/workspace/file_workspace.h"

namespace braidlog::app {

// Everybody is the user demo in --dev, nobody gets in without it: accounts are not built yet.
class DevAuthenticator final : public Authenticator {
 public:
  explicit DevAuthenticator(bool dev) : dev_(dev) {}
  Result<api::Caller> authenticate(const Credentials& credentials) const override;

 private:
  bool dev_;
};

std::unique_ptr<agent::Catalog> make_catalog(Workspace& workspace, WorkerPool& pool, const Limits& limits,
                                             const provider::ModelSources& models);

class Server {
 public:
  // kStorage, kBadField, kUnavailable: one line for people.
  static Result<std::unique_ptr<Server>> make(const ServeOptions& options);
  ~Server();

  Status listen();
  std::uint16_t port() const { return http_->port(); }

  // No new runs, and not ready; waits until the runs that work are done, `grace` is over or `now` is set, then cuts
  // what is left.
  void drain(std::chrono::milliseconds grace, const std::atomic<bool>& now);

 private:
  explicit Server(const ServeOptions& options) : options_(options) {}
  Status build();
  std::size_t working_runs();
  void cut_streams();

  ServeOptions options_;
  SystemClock clock_;
  std::unique_ptr<store::SqliteRunStore> store_;
  std::unique_ptr<store::FileWorkspace> workspace_;
  std::unique_ptr<ThreadPool> pool_;
  IoThreads threads_;
  std::unique_ptr<HttpClients> http_clients_;
  std::unique_ptr<provider::OpenAiProvider> openai_;
  std::unique_ptr<agent::Catalog> agents_;
  std::unique_ptr<StoreThreads> store_threads_;
  std::unique_ptr<Retention> retention_;
  std::vector<std::unique_ptr<RunHost>> hosts_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<EngineService>> services_;
  std::vector<std::unique_ptr<StreamHub>> hubs_;
  std::unique_ptr<RunsDialect> runs_;
  std::unique_ptr<DevAuthenticator> authenticator_;
  std::unique_ptr<Operations> operations_;
  std::unique_ptr<SiteGuard> guard_;
  std::unique_ptr<RequestHandler> handler_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace braidlog::app
