#include "sandbox/host_advice.h"

#include <unistd.h>

#include <fstream>

#include "base/utf8.h"

namespace braidlog::sandbox {

namespace {

std::optional<long> number_in(const char* path) {
  std::ifstream file(path);
  long number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

bool is_about_namespaces(std::string_view said) {
  for (const std::string_view part : {"namespace", "uid map", "gid map", "setgroups", "Failed to make / slave",
                                      "RTM_NEWADDR", "pivot_root", "Can't mount", "Can't remount", "clone"}) {
    if (said.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string fix_of(const HostFacts& host) {
  if (host.unprivileged_userns_clone == 0) return "run: sysctl -w kernel.unprivileged_userns_clone=1";
  if (host.max_user_namespaces == 0) return "run: sysctl -w user.max_user_namespaces=10000";
  if (host.apparmor_restrict_unprivileged_userns.value_or(0) != 0) {
    return "AppArmor forbids them: give bwrap a profile with `userns`, or run: sysctl -w "
           "kernel.apparmor_restrict_unprivileged_userns=0";
  }
  if (host.in_container) {
    return "the container forbids them: allow user namespaces and mounts in it (Docker: --security-opt "
           "seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)";
  }
  return "allow unprivileged user namespaces on this host";
}

}  // namespace

HostFacts read_host_facts() {
  return {.unprivileged_userns_clone = number_in("/proc/sys/kernel/unprivileged_userns_clone"),
          .max_user_namespaces = number_in("/proc/sys/user/max_user_namespaces"),
          .apparmor_restrict_unprivileged_userns = number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
          .in_container = ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0};
}

std::string advice_for(std::string_view said, const HostFacts& host) {
  // The last line: of a Python traceback it is the one that counts, and bwrap says one only.
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.remove_suffix(1);
  if (const auto line = said.rfind('\n'); line != std::string_view::npos) said.remove_prefix(line + 1);
  std::string why = to_valid_utf8(utf8_prefix(to_valid_utf8(said), 300));
  if (why.empty()) why = "the process ended without a word";
  if (!is_about_namespaces(why)) return why;
  return why + "; " + fix_of(host);
}

}  // namespace braidlog::sandbox
