// Tells another server of each alert that was kept: one POST of {"ticket","created_at","user_id","session_id","run_id",
// "message","priority"}. The store's copy is the alert; a webhook that cannot be reached is tried a few times, said in
// the log, and given up. Thread-safe; each delivery lives on the loop that raised the alert.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http_client.h"
#include "port/alerts.h"

namespace braidlog::tool {

class AlertWebhook final : public Alerts {
 public:
  // Both outlive this; this outlives the io threads' work.
  AlertWebhook(Alerts& kept, HttpClients& clients, std::string url);
  ~AlertWebhook() override;

  void raise(api::Alert alert, Loop& back, UniqueFunction<void(Result<std::uint64_t>)> reply) override;

 private:
  class Delivery;
  void deliver(const api::Alert& alert, Loop& loop);

  Alerts& kept_;
  HttpClients& clients_;
  const std::string url_;
  // By the index of its loop, and touched on that loop only.
  std::vector<std::unordered_map<const Delivery*, std::unique_ptr<Delivery>>> under_way_;
};

}  // namespace braidlog::tool
