// The Python modules of runner/ and reader/, embedded by the build.
#pragma once

#include <string_view>
#include <vector>

namespace braidlog::sandbox {

struct RunnerModule {
  std::string_view name;
  std::string_view source;
};

// In the order in which they import each other; the last one has main(). The first are the program that runs agents'
// code, the second the one that reads files.
const std::vector<RunnerModule>& runner_modules();
const std::vector<RunnerModule>& reader_modules();

}  // namespace braidlog::sandbox
