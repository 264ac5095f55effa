// The `tools:` of an agent file: each a name, or a name with settings.
//
//   tools:
//     - calculator
//     - knowledge                         the documents in the binary
//     - knowledge: {folder: knowledge/}   those of a folder beside the agent file
//     - mcp: {…}                          the tools of a server: mcp_entry.h
//     - http: {…}                         a request to an API: http_entry.h
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/parser.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

// What `knowledge` is called when it is a tool of an agent.
inline constexpr const char* kKnowledgeTool = "search_knowledge_base";

struct ToolList {
  std::vector<std::string> names{};  // in the order of the file, as in api::Agent of a parsed file
  std::vector<api::McpServer> mcp_servers{};
  std::vector<api::HttpTool> http_tools{};
  std::shared_ptr<const api::KnowledgeDocuments> knowledge{};  // none: those in the binary
  std::vector<std::string> folders{};                          // of knowledge, as the file names them
  bool sound = true;  // false: a tool had a fault, so what else is said of tools need not be judged

  // Whether the agent has a tool of this name, or a server that may have it.
  bool may_have(std::string_view tool) const;
  // `names` without what stands for the tools of servers.
  std::vector<std::string> own_names() const;
};

// `folder` is where the agent file is; none: it has none, and settings that name files are faults. In an agent of style
// code the tools are functions of Python, so their names must be names there.
ToolList read_tools(const YAML::Node& node, const Vocabulary& vocabulary,
                    const std::optional<std::filesystem::path>& folder, api::Style style, Faults& faults);

}  // namespace braidlog::agent
