#include "sandbox/limit_words.h"

#include <array>
#include <utility>

#include "sandbox/walls.h"

namespace braidlog::sandbox {

std::string bytes_in_words(std::size_t bytes) {
  constexpr std::array<std::pair<std::size_t, const char*>, 3> kUnits{
      {{std::size_t{1} << 30, " GiB"}, {std::size_t{1} << 20, " MiB"}, {std::size_t{1} << 10, " KiB"}}};
  for (const auto& [size, name] : kUnits) {
    if (bytes >= size && bytes % size == 0) return std::to_string(bytes / size) + name;
  }
  return std::to_string(bytes) + " bytes";
}

std::string time_in_words(std::chrono::milliseconds amount) {
  if (amount.count() % 1'000 == 0) return std::to_string(amount.count() / 1'000) + " s";
  return std::to_string(amount.count()) + " ms";
}

LimitWords::LimitWords(const Limits& limits)
    : time("time limit of " + time_in_words(limits.code_time_max)),
      memory("memory limit of " + bytes_in_words(limits.code_memory_bytes_max)),
      output("output limit of " + bytes_in_words(limits.code_output_bytes_max)),
      disk("disk limit of " + bytes_in_words(limits.code_disk_bytes_max) + " and " + std::to_string(kFilesMax) +
           " files"),
      files("limit of " + std::to_string(kOpenFilesMax) + " open files"),
      threads("limit of " + std::to_string(limits.code_threads_max) + " threads"),
      code("code limit of " + bytes_in_words(limits.code_bytes_max)),
      sandboxes("limit of " + std::to_string(limits.sandboxes_max) + " sandboxes") {}

}  // namespace braidlog::sandbox
