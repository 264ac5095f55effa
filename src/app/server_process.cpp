#include "app/server_process.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "app/agents_report.h"
#include "app/wiring.h"
#include "base/log.h"

namespace braidlog::app {

namespace {

// Every stream is a descriptor: take as many as the system lets us have.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Large blocks go back to the system when they are freed: without this a burst of large bodies would be kept for ever.
void return_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
}

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

// Until SIGTERM or SIGINT; calls `on_hangup` for each SIGHUP before that.
template <class OnHangup>
int wait_for_stop(const sigset_t& set, OnHangup on_hangup) {
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (signal != SIGHUP) return signal;
    on_hangup();
  }
}

// Servers of tools may take long to come up. Until there is an address nobody was promised anything, and what was going
// on before is taken up again as after a crash, so a signal to stop need not wait: the process ends at once.
class StopWhileStarting {
 public:
  explicit StopWhileStarting(const sigset_t& signals) : watch_([this, signals] { watch(signals); }) {}
  ~StopWhileStarting() {
    is_up_ = true;
    pthread_kill(watch_.native_handle(), SIGHUP);
    watch_.join();
  }

 private:
  void watch(const sigset_t& signals) {
    for (;;) {
      int signal = 0;
      if (sigwait(&signals, &signal) != 0) continue;
      if (is_up_) {
        if (signal != SIGHUP) kill(getpid(), signal);  // it came for the server that is up now
        return;
      }
      if (signal == SIGHUP) continue;  // the files are being read
      log_info("stopped while starting");
      std::_Exit(0);
    }
  }

  std::atomic<bool> is_up_{false};
  std::thread watch_;
};

Result<std::unique_ptr<Server>> start(const ServeOptions& options, const sigset_t& signals) {
  const StopWhileStarting watch(signals);
  auto server = Server::make(options);
  if (!server) return server;
  if (auto listening = (*server)->listen(); !listening) return fail(listening.error());
  return server;
}

// Agent files are checked without a data folder: their tools are made, never run.
class NoWorkspace final : public Workspace {
  static Error none() { return {ErrorCode::kStorage, "There is no workspace here", {}}; }
  Result<api::FileContent> read(SessionId, std::string_view, std::size_t) override { return fail(none()); }
  Result<api::FileInfo> write(SessionId, std::string_view, std::string_view) override { return fail(none()); }
  Status rename(SessionId, std::string_view, std::string_view) override { return fail(none()); }
  Status remove(SessionId, std::string_view) override { return fail(none()); }
  Result<api::FileList> list(SessionId) override { return fail(none()); }
  Status remove_all(SessionId) override { return fail(none()); }
};

class NoAlerts final : public Alerts {
  void raise(api::Alert, Loop&, UniqueFunction<void(Result<std::uint64_t>)> reply) override {
    reply(fail(ErrorCode::kStorage, "There is nobody to alert here"));
  }
};

class NoItems final : public SessionItems {
  static Error none() { return {ErrorCode::kStorage, "There is no session here", {}}; }
  void artifacts(SessionId, Loop&, Reply<api::ArtifactList> reply) override { reply(fail(none())); }
  void artifact(SessionId, ArtifactId, Loop&, Reply<api::Artifact> reply) override { reply(fail(none())); }
  void data_item_count(SessionId, Loop&, Reply<std::uint64_t> reply) override { reply(fail(none())); }
  void data_item(SessionId, DataItemId, Loop&, Reply<api::DataItem> reply) override { reply(fail(none())); }
};

class NoFigures final : public ServerStatus {
  ServerFigures figures() const override { return {}; }
};

void print_error(const Error& error) {
  std::fprintf(stderr, "braidlog: %s\n", error.message.c_str());
}

std::string url_of(const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

int serve(const ServeOptions& options) {
  braidlog::set_log_level(options.log_level);
  raise_descriptor_limit();
  return_freed_memory();
  // Blocked before any thread is made, so that only this one hears them.
  const sigset_t signals = our_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  auto server = start(options, signals);
  if (!server) return print_error(server.error()), 1;
  std::printf("Braidlog is listening on %s\n", url_of(options.host, (*server)->port()).c_str());
  std::fflush(stdout);
  if (options.metrics) {
    log_info("metrics", {{"url", url_of(options.metrics->host, (*server)->metrics_port()) + "/metrics"}});
  }
  if (!options.dev && !(*server)->has_users()) {
    log_warn(
        "there is no user yet, so nobody can log in: make one with `braidlog user add NAME`, with the same --data");
  }

  const int stop = wait_for_stop(signals, [&] { (*server)->reload_agents(); });
  log_info("stopping", {{"signal", stop == SIGTERM ? "SIGTERM" : "SIGINT"}});
  std::atomic<bool> now{false};
  std::thread second([&] {
    wait_for_stop(signals, [] {});
    now = true;
  });
  (*server)->drain(options.limits.drain_grace, now);
  server->reset();
  log_info("stopped");
  pthread_kill(second.native_handle(), SIGTERM);  // it may still be waiting for a second signal
  second.join();
  return 0;
}

int check_agents(const std::string& folder) {
  NoWorkspace workspace;
  NoAlerts alerts;
  const NoFigures figures;
  NoItems items;
  ThreadPool pool(1);
  const Limits limits;
  const auto no_clients = HttpClients::make({}, limits);
  if (!no_clients) return print_error(no_clients.error()), 1;
  provider::ModelServers model_servers(**no_clients, limits);
  auto search = tool::search_settings(process_environment);
  if (!search) return print_error(search.error()), 1;
  const auto rules = std::make_shared<const OutboundRules>();
  tool::McpServers mcp_servers(limits, process_environment, rules);
  const auto catalog = make_catalog(
      {.ports = {workspace, alerts, figures, items, pool, **no_clients, rules, nullptr, std::move(*search)},
       .limits = limits,
       .models = {model_servers, process_environment, std::nullopt},
       .mcp_servers = mcp_servers});
  return print_check(catalog->check(folder));
}

}  // namespace braidlog::app
