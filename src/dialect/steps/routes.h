// The steps contract (docs/contracts/steps.md): a question to a session, and the answer as the steps that an agent
// takes — plans, actions with what came of them, the final answer — under /sessions/{id}. The run goes on without its
// client.
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

class StepsDialect final : public Dialect {
 public:
  explicit StepsDialect(const Limits& limits = {}) : wire_text_bytes_max_(limits.wire_text_bytes_max) {}

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  char part_mark() const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /sessions/{id}/ and one of stream, interrupt, tokens, steps. The rest of /sessions is shared (dialect/sessions) or
  // the tasks contract's.
  bool owns_path(std::string_view path) const override;

 private:
  std::size_t wire_text_bytes_max_;
};

}  // namespace braidlog
