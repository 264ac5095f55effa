// Looks at processes from outside, through /proc.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace braidlog::sandbox::testing {

struct ProcessStat {
  char state = 'X';
  pid_t parent = -1;
  unsigned long ticks = 0;  // of CPU
};

inline ProcessStat stat_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  ProcessStat out;
  const auto after = text.rfind(')');
  if (after == std::string::npos) return out;
  unsigned long user = 0;
  unsigned long system = 0;
  // NOLINTNEXTLINE: a fixed format of the kernel
  std::sscanf(text.c_str() + after + 2, "%c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &out.state, &out.parent,
              &user, &system);
  out.ticks = user + system;
  return out;
}

// Alive: not even a zombie is left otherwise.
inline bool is_alive(pid_t pid) {
  const auto state = stat_of(pid).state;
  return state != 'X' && state != 'Z';
}

inline std::vector<pid_t> all_processes() {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) out.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return out;
}

inline std::vector<pid_t> children_of(pid_t parent) {
  auto out = all_processes();
  std::erase_if(out, [&](pid_t pid) { return stat_of(pid).parent != parent; });
  return out;
}

// Processes with this among their arguments.
inline std::vector<pid_t> processes_with(const std::string& argument) {
  std::vector<pid_t> out;
  for (const pid_t pid : all_processes()) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(std::string(1, '\0') + argument + std::string(1, '\0')) != std::string::npos) out.push_back(pid);
  }
  return out;
}

inline bool uses_cpu(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) {
    if (stat_of(pid).ticks > 20) return true;
  }
  return false;
}

// Waits for a condition of the outside world.
template <class Condition>
bool eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

}  // namespace braidlog::sandbox::testing
