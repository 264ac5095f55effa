// The routes that belong to no contract: is the server well, is it ready, what does it count, which agents and routes
// does it have; and the files of the console. Also the shape of errors on paths that no contract owns. Thread-safe.
#pragma once

#include <functional>
#include <string_view>

#include "dialect/dialect.h"
#include "engine/service.h"
#include "net/http_server.h"
#include "server/console_assets.h"

namespace braidlog {

class Operations final : public Dialect {
 public:
  // `net` is asked when /metrics is; the net layer is built after the routes.
  Operations(const Engine& engine, std::function<NetStats()> net) : engine_(engine), net_(std::move(net)) {}

  std::string_view name() const override { return "operations"; }
  std::span<const Route> routes() const override { return {}; }
  std::unique_ptr<Projection> make_projection(RunId) const override { return nullptr; }
  // {"error":"text"}
  HttpResponse error(const Error& error, RequestId request_id) const override;
  bool owns_path(std::string_view) const override { return false; }

  // All of them: GET and HEAD of a path; "{}" at its end stands for any name.
  struct Served {
    std::string_view path;
    Access access;
  };
  static std::span<const Served> served();
  bool answers(std::string_view path) const;
  Access access(std::string_view path) const;
  HttpResponse answer(const HttpRequest& request) const;

 private:
  HttpResponse ready() const;
  HttpResponse metrics() const;
  HttpResponse agents() const;

  const ConsoleAssets console_{console_files()};
  const Engine& engine_;
  std::function<NetStats()> net_;
};

}  // namespace braidlog
