// The runs contract (docs/contracts/runs.md): sessions, runs with a replayable stream,
// approvals and workspace files, under /api/v1.
//
// Immutable after construction; may be used from every thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/limits.h"
#include "dialect/dialect.h"

namespace braidlog {

class RunsDialect final : public Dialect {
 public:
  explicit RunsDialect(const Limits& limits = {}) : wire_text_bytes_max_(limits.wire_text_bytes_max) {}

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /api/v1 and what is below it. The routes that also stand at the root are not: an unknown path or method
  // there is answered in the server's own shape.
  bool owns_path(std::string_view path) const override;

 private:
  std::size_t wire_text_bytes_max_;
};

}  // namespace braidlog
