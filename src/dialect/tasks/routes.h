// The tasks contract (docs/contracts/tasks.md): a goal in, a list of tasks out of it, and their execution, under
// /sessions/{id}. The sessions themselves are dialect/sessions.
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

class TasksDialect final : public Dialect {
 public:
  explicit TasksDialect(const Limits& limits = {}) : wire_text_bytes_max_(limits.wire_text_bytes_max) {}

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /sessions/{id}/chat, execute, tasks, artifacts and data-items, and what is below them. The rest of /sessions is
  // shared with the steps contract.
  bool owns_path(std::string_view path) const override;

 private:
  std::size_t wire_text_bytes_max_;
};

}  // namespace braidlog
