// The frames of several projections in one stream, each with the name of its contract.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/projection.h"

namespace braidlog::all {

inline constexpr char kPartMark = 'a';

class AllProjection final : public Projection {
 public:
  struct Contract {
    std::string_view name;
    std::unique_ptr<Projection> projection;
  };
  AllProjection(RunId run_id, std::vector<Contract> contracts);

  // Of the contract that needs most; the others take as much of it as they asked for.
  std::optional<HistoryNeed> needs_history(const RunEvent& event) const override;
  void take_history(std::shared_ptr<const api::SessionView> history) override { history_ = std::move(history); }
  void project(const RunEvent& event, Frames& out) override;

 private:
  std::vector<Contract> contracts_;
  std::string id_line_;  // "id: evt_…_"
  std::shared_ptr<const api::SessionView> history_;
  Frames scratch_;
};

}  // namespace braidlog::all
