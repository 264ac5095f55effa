// The routes by which people come and go, and by which admins read what agents had to tell them: /auth/login,
// /auth/logout, /auth/me, /alerts. It is no contract of its own: it starts no run and has no frames.
//
// Immutable; may be used from every thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dialect/dialect.h"

namespace braidlog {

class IdentityDialect final : public Dialect {
 public:
  std::string_view name() const override { return "identity"; }
  std::span<const Route> routes() const override;
  // None.
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /auth and what is below it, and /alerts.
  bool owns_path(std::string_view path) const override;
};

}  // namespace braidlog
