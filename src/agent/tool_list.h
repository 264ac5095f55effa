// The `tools:` of an agent file: each a name, or a name with settings.
//
//   tools:
//     - calculator
//     - knowledge                         the documents in the binary
//     - knowledge: {folder: knowledge/}   those of a folder beside the agent file
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/parser.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

// What `knowledge` is called when it is a tool of an agent.
inline constexpr const char* kKnowledgeTool = "search_knowledge_base";

struct ToolList {
  std::vector<std::string> names;
  std::shared_ptr<const api::KnowledgeDocuments> knowledge;  // none: those in the binary
  bool sound = true;  // false: a tool had a fault, so what else is said of tools need not be judged
};

// `folder` is where the agent file is; none: it has none, and settings that name files are faults.
ToolList read_tools(const YAML::Node& node, const Vocabulary& vocabulary,
                    const std::optional<std::filesystem::path>& folder, Faults& faults);

}  // namespace braidlog::agent
