// `- mcp: {…}` among the tools of an agent file: a server of tools.
//
//   - mcp: {name: fs, command: [npx, "@modelcontextprotocol/server-filesystem", .], reads: [read_text_file]}
//   - mcp: {name: crm, url: "https://crm.example/mcp", headers: {Authorization: "Bearer ${CRM_TOKEN}"}}
#pragma once

#include <string>
#include <string_view>

#include "agent/parser.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

// Between the name of a server and that of its tool.
inline constexpr std::string_view kServerSeparator = "__";

// With an empty name when it has none that can be used. Its folder is for the caller to set.
api::McpServer read_mcp_server(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults);

}  // namespace braidlog::agent
