// The names of the contracts that this server speaks: what `?contract=` may say, and what a dialect calls
// itself.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace braidlog {

inline constexpr std::string_view kRunsContract = "runs";

inline constexpr std::array kContracts{kRunsContract};

inline bool is_contract(std::string_view name) {
  return std::ranges::find(kContracts, name) != kContracts.end();
}

}  // namespace braidlog
