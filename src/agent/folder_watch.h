// Tells whether the files behind a folder of agents have changed, by looking at them: their names, sizes, times and
// numbers. That works on every file system, with editors that write a new file in the place of the old one and with
// links that are turned to another folder, and costs one stat() per file.
#pragma once

#include <filesystem>
#include <string>

#include "agent/parser.h"

namespace braidlog::agent {

// A text that is another one when something of the agent files of `folder`, or of what they name, has changed. Blocks.
// What cannot be looked at counts as not there.
std::string look_at_folder(const std::filesystem::path& folder, const NamedFiles& named);

}  // namespace braidlog::agent
