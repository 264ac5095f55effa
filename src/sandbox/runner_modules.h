// The Python modules of runner/, embedded by the build.
#pragma once

#include <string_view>
#include <vector>

namespace braidlog::sandbox {

struct RunnerModule {
  std::string_view name;
  std::string_view source;
};

// In the order in which they import each other; the last one has main().
const std::vector<RunnerModule>& runner_modules();

}  // namespace braidlog::sandbox
