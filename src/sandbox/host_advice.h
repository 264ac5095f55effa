// What to tell an operator whose host lets no sandbox be built: the reason in a line, and what to change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braidlog::sandbox {

// Settings of the kernel that can stand in the way; none where this kernel has no such setting.
struct HostFacts {
  std::optional<long> unprivileged_userns_clone;              // kernel.unprivileged_userns_clone, of Debian
  std::optional<long> max_user_namespaces;                    // user.max_user_namespaces
  std::optional<long> apparmor_restrict_unprivileged_userns;  // of Ubuntu
  bool in_container = false;
};

HostFacts read_host_facts();

// `said` is what bubblewrap or Python wrote before the end.
std::string advice_for(std::string_view said, const HostFacts& host);

}  // namespace braidlog::sandbox
