#pragma once

#include <string_view>

namespace braidlog {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace braidlog
