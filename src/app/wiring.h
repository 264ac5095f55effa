// The parts of a server, in the order in which they are built.
#pragma once

#include <memory>
#include <vector>

#include "agent/catalog.h"
#include "app/agent_reload.h"
#include "app/dialects.h"
#include "app/live_figures.h"
#include "app/options.h"
#include "auth/change_notice.h"
#include "auth/identities.h"
#include "auth/identity_watch.h"
#include "engine/file_reader.h"
#include "engine/service.h"
#include "engine/stored_alerts.h"
#include "engine/stored_items.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/worker_pool.h"
#include "provider/model_choice.h"
#include "runlog/retention.h"
#include "runlog/store_threads.h"
#include "sandbox/python_sandbox.h"
#include "sandbox/sandboxed_extractor.h"
#include "server/metrics_handler.h"
#include "server/operations.h"
#include "server/request_handler.h"
#include "server/site_guard.h"
#include "server/stream_hub.h"
#include "server/watch_hub.h"
#include "store/sqlite/identity_store.h"
#include "store/sqlite/run_store.h"
#include "store/workspace/file_workspace.h"
#include "tool/builtin_tools.h"
#include "tool/mcp/mcp_servers.h"
#include "tool/webhook/alert_webhook.h"

namespace braidlog::app {

// What agents are made of. All references outlive the catalog.
struct AgentParts {
  tool::ToolPorts ports;
  const Limits& limits;
  provider::ModelSources models;
  tool::McpServers& mcp_servers;
  std::shared_ptr<Sandbox> sandbox{};  // null: agents that write code are loaded but not run
};
std::unique_ptr<agent::Catalog> make_catalog(const AgentParts& parts);

class Server {
 public:
  // kStorage, kBadField, kUnavailable: one line for people.
  static Result<std::unique_ptr<Server>> make(const ServeOptions& options);
  ~Server();

  Status listen();
  std::uint16_t port() const { return http_->port(); }
  // Of --metrics-listen; 0 without it.
  std::uint16_t metrics_port() const { return metrics_http_ ? metrics_http_->port() : 0; }
  // Whether there was a user at the start.
  bool has_users() const { return has_users_; }

  // Reads the agent files again, soon. From any thread.
  void reload_agents();

  // No new runs, and not ready; waits until the runs that work are done, `grace` is over or `now` is set, then cuts
  // what is left.
  void drain(std::chrono::milliseconds grace, const std::atomic<bool>& now);

 private:
  explicit Server(const ServeOptions& options) : options_(options) {}
  Status build();
  Status build_stores();
  Status build_agents();
  void build_engine();
  Status build_identity();
  void build_front();
  std::size_t working_runs();
  void cut_streams();

  ServeOptions options_;
  SystemClock clock_;
  LiveFigures figures_{clock_};
  std::unique_ptr<store::SqliteRunStore> store_;
  std::unique_ptr<store::FileWorkspace> workspace_;
  std::unique_ptr<StoreThreads> store_threads_;
  std::unique_ptr<StoredAlerts> alerts_;
  std::unique_ptr<StoredItems> items_;
  std::unique_ptr<ThreadPool> pool_;
  IoThreads threads_;
  std::unique_ptr<HttpClients> http_clients_;
  std::unique_ptr<tool::AlertWebhook> webhook_;
  std::unique_ptr<provider::ModelServers> model_servers_;
  OutboundRulesPtr outbound_;
  std::unique_ptr<tool::McpServers> mcp_servers_;
  std::unique_ptr<sandbox::SandboxedExtractor> extractor_;
  std::unique_ptr<FileReader> file_reader_;
  std::shared_ptr<sandbox::PythonSandbox> sandbox_;  // shared with the agents that write code, which outlive a reload
  std::unique_ptr<agent::Catalog> agents_;
  std::unique_ptr<AgentReload> agent_reload_;  // of a folder
  std::unique_ptr<Retention> retention_;
  std::unique_ptr<Engine> engine_;  // outlives the runs: they give their places in its budgets back
  std::vector<std::unique_ptr<RunHost>> hosts_;
  std::vector<std::unique_ptr<EngineService>> services_;
  std::vector<std::unique_ptr<StreamHub>> hubs_;
  std::vector<std::unique_ptr<WatchHub>> watch_hubs_;
  std::unique_ptr<store::SqliteIdentityStore> identity_store_;
  std::unique_ptr<auth::ChangeNotice> notice_;
  std::unique_ptr<auth::Identities> identities_;
  std::unique_ptr<auth::IdentityWatch> identity_watch_;
  bool has_users_ = false;
  std::unique_ptr<Dialects> dialects_;
  std::unique_ptr<Operations> operations_;
  std::unique_ptr<SiteGuard> guard_;
  std::unique_ptr<RequestHandler> handler_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<MetricsHandler> metrics_handler_;
  std::unique_ptr<HttpServer> metrics_http_;
};

}  // namespace braidlog::app
