// The documents of `knowledge: {folder: NAME}` in an agent file. Blocks.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

// Every *.md and *.txt below `folder`/`name`, by name, at most 1,000 of them, 1 MiB each and 16 MiB in all. What begins
// with a dot is left out, and folders that are links are not entered. The kernel sees to it that neither the folder nor
// a file leads out of `folder`, through a link or otherwise. kBadField; the message names folder or file as the
// operator would.
Result<std::shared_ptr<const api::KnowledgeDocuments>> read_knowledge_folder(const std::filesystem::path& folder,
                                                                             const std::string& name);

}  // namespace braidlog::agent
