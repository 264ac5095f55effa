// What the console asks for that no contract has: runs of all sessions, a run with files that goes on without its
// client, what the agents are made of, how the server is doing. See docs/console-api.md.
#pragma once

#include "dialect/dialect.h"

namespace braidlog {

class ConsoleDialect final : public Dialect {
 public:
  std::string_view name() const override { return "console"; }
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId) const override { return nullptr; }
  // {"error":"text"}
  HttpResponse error(const Error& error, RequestId request_id) const override;
  bool owns_path(std::string_view path) const override;
};

}  // namespace braidlog
