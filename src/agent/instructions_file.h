// Instructions that stand in a file of their own beside the agent file.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace braidlog::agent {

// `name` is relative to `folder` and never leaves it, not through a symbolic link either. kBadField with a
// message that names the file as the agent file does.
Result<std::string> read_instructions_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace braidlog::agent
