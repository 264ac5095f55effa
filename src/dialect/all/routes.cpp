#include "dialect/all/routes.h"

#include <algorithm>
#include <utility>

#include "dialect/all/projection.h"
#include "dialect/contracts.h"
#include "dialect/runs/errors.h"

namespace braidlog {

AllDialect::AllDialect(std::span<const Dialect* const> dialects) {
  for (const auto contract : kContracts) {
    const auto at = std::ranges::find(dialects, contract, &Dialect::name);
    if (at != dialects.end()) contracts_.push_back(*at);
  }
}

std::string_view AllDialect::name() const {
  return kAllContracts;
}

std::span<const Route> AllDialect::routes() const {
  return {};
}

std::unique_ptr<Projection> AllDialect::make_projection(RunId run_id) const {
  std::vector<all::AllProjection::Contract> projections;
  for (const Dialect* contract : contracts_) {
    projections.push_back({contract->name(), contract->make_projection(run_id)});
  }
  return std::make_unique<all::AllProjection>(run_id, std::move(projections));
}

char AllDialect::part_mark() const {
  return all::kPartMark;
}

HttpResponse AllDialect::error(const Error& error, RequestId) const {
  return runs::error_response(error);
}

bool AllDialect::owns_path(std::string_view) const {
  return false;
}

}  // namespace braidlog
