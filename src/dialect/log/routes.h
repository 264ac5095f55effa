// The log of a run as it is, and many runs in one stream (docs/contracts/log.md). It is no contract that an application
// is written against: the console and people with a terminal look at runs through it.
//
// Immutable; may be used from every thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dialect/dialect.h"

namespace braidlog {

inline constexpr std::string_view kLogView = "log";

class LogDialect final : public Dialect {
 public:
  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  char part_mark() const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /watch alone: below /runs others live too.
  bool owns_path(std::string_view path) const override;
};

}  // namespace braidlog
