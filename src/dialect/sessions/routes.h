// Sessions as the steps and the tasks contract share them, under /sessions. It is no contract of its own: it starts no
// run and has no frames.
//
// Immutable; may be used from every thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dialect/dialect.h"

namespace braidlog {

class SessionsDialect final : public Dialect {
 public:
  std::string_view name() const override;
  std::span<const Route> routes() const override;
  // None.
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /sessions and what is below it.
  bool owns_path(std::string_view path) const override;
};

}  // namespace braidlog
