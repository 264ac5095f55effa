// A tool that an MCP server listed, as this server offers it. Nothing that the server says of its own tool makes it
// safer: whether it only reads is the operator's word, and its hints are not looked at.
//
// Its name is SERVER__TOOL. Providers take letters, digits, '_' and '-', at most 64 of them; a name that is longer or
// has other characters is spelled with '_' in their place, cut, and ended by eight digits of its digest, so that two
// tools never get the same one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "port/tool.h"
#include "tool/mcp/foreign_schema.h"
#include "tool/mcp/link.h"
#include "tool/mcp/server_plan.h"

namespace braidlog::tool::mcp {

// An argument that goes as an HTTP header too, in the modern era.
struct ArgumentHeader {
  std::string name;               // of the header
  std::vector<std::string> path;  // to the argument
};

struct ToolPlan {
  ToolSpec spec;
  std::string name;                        // the server's own
  std::optional<ForeignSchema> arguments;  // absent: any object; the server judges
  std::optional<ForeignSchema> output;     // of structured results
  std::string output_json;                 // as the server gave it; empty: none
  std::vector<ArgumentHeader> headers;
};
using ToolPlans = std::vector<std::shared_ptr<const ToolPlan>>;

// Of what the server listed: those that the operator wants and that can be offered, by name. The others are left out
// with a line in the log.
ToolPlans plan_tools(const std::vector<json::object>& listed, const ServerPlan& server, const Limits& limits, Era era);

std::string tool_name(const std::string& server, const std::string& tool);

// The headers for a call with these arguments.
std::vector<HttpHeader> headers_of(const ToolPlan& plan, const json::object& arguments);

}  // namespace braidlog::tool::mcp
