#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace braidlog::sandbox {

// Which programs a sandbox is made of; what is not named is looked for.
struct ProgramOptions {
  std::optional<std::string> bwrap{};
  std::optional<std::string> python{};               // below /usr: a sandbox sees nothing else
  std::chrono::milliseconds start_time_max{10'000};  // until a process is ready; it takes about 100
};

}  // namespace braidlog::sandbox
