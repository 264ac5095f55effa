// `contract=all`: one stream that shows a run in every contract at once, for people who compare them and for tests. It
// has no routes of its own; runs' stream of a run names it. A frame of it is
//
//   id: evt_…_0000000007.a1
//   data: {"contract":"conversation","frame":"id: evt_…\ndata: {…}\n\n"}
//
// in the order of the log, and within an event in the order of contracts.h. A part always stands in the id: how many
// frames an event has depends on the contracts.
//
// Immutable after construction; may be used from every thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"

namespace braidlog {

class AllDialect final : public Dialect {
 public:
  // Takes the contracts among `dialects`, in any order; they must outlive this.
  explicit AllDialect(std::span<const Dialect* const> dialects);

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  char part_mark() const override;
  // Nobody asks it: it has no routes and no paths. The shape is that of the runs contract's, whose route leads here.
  HttpResponse error(const Error& error, RequestId request_id) const override;
  bool owns_path(std::string_view path) const override;

 private:
  std::vector<const Dialect*> contracts_;  // in the order of contracts.h
};

}  // namespace braidlog
