// A short name for a text: equal texts have equal digests. For telling versions apart, not for security.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::agent {

// The first 12 hex digits of FNV-1a, 64 bits.
std::string digest(std::string_view text);

}  // namespace braidlog::agent
