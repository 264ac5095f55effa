// The protocol's names and versions.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace braidlog::tool::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
// Newest first; the first is what we ask for.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                                    "2024-11-05"};
inline bool is_legacy_version(std::string_view version) {
  return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) != kLegacyVersions.end();
}

inline constexpr std::string_view kClientName = "braidlog";

}  // namespace braidlog::tool::mcp
