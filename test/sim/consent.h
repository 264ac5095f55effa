// Whether the user of a session may be taken to have allowed tools without being asked, at each step. Between the
// request that turns auto-approve on and the answer to the one that turns it off both are right; after that answer no
// tool may start on the strength of it. Of two requests that overlap nobody can say which came last.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace braidlog::sim {

class Consent {
 public:
  void begin_on(std::uint64_t step) { set(true, step); }
  void ask(bool enable, std::uint64_t step) {
    ++under_way_;
    if (under_way_ > 1) overlapped_ = true;
    if (enable) set(true, step);
  }
  void answered(bool enable, bool accepted, std::uint64_t step) {
    if (--under_way_ > 0) return;
    if (accepted && !enable && !overlapped_) set(false, step);
    overlapped_ = false;
  }
  // The requests under way got no answer; the store says what came of them.
  void server_gone(bool in_store, std::uint64_t step) {
    under_way_ = 0;
    overlapped_ = false;
    if (in_store) set(true, step);
  }
  void allow_tool(const std::string& tool) { tools_.insert(tool); }

  bool may_be_on(std::uint64_t step) const {
    bool on = false;
    for (const auto& [since, value] : changes_) {
      if (since <= step) on = value;
    }
    return on;
  }
  bool allows_tool(const std::string& tool) const { return tools_.contains(tool); }

 private:
  void set(bool on, std::uint64_t step) { changes_.emplace_back(step, on); }

  int under_way_ = 0;
  bool overlapped_ = false;
  std::vector<std::pair<std::uint64_t, bool>> changes_;
  std::set<std::string> tools_;
};

}  // namespace braidlog::sim
