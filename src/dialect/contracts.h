// The names of the contracts that this server speaks: what `?contract=` may say, and what a dialect calls
// itself.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace braidlog {

inline constexpr std::string_view kStepsContract = "steps";
inline constexpr std::string_view kRunsContract = "runs";
inline constexpr std::string_view kChatContract = "chat";
inline constexpr std::string_view kConversationContract = "conversation";
inline constexpr std::string_view kTasksContract = "tasks";
inline constexpr std::string_view kAllContracts = "all";  // every one of them in one stream

// In the order in which `contract=all` shows the frames of one event.
inline constexpr std::array kContracts{kStepsContract, kRunsContract, kChatContract, kConversationContract,
                                       kTasksContract};

inline bool is_contract(std::string_view name) {
  return std::ranges::find(kContracts, name) != kContracts.end();
}

}  // namespace braidlog
