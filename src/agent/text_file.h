// Reads a whole small file at start-up or on reload. Blocks.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace braidlog::agent {

// At most 256 KiB of a regular file. kBadField: "is not a file", "cannot be read", "is larger than 256 KiB";
// the message is the end of a sentence that begins with the file's name.
Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace braidlog::agent
