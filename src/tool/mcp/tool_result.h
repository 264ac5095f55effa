// What a call of an MCP tool brought, as a tool's outcome. Everything that a model or a person reads of it is made
// here: no path, no output of a program and nothing else of the host gets into these words. Pure.
#pragma once

#include <string>

#include "port/tool.h"
#include "tool/http/secrets.h"
#include "tool/mcp/requests.h"
#include "tool/mcp/tool_plan.h"

namespace braidlog::tool::mcp {

// `result` is that of tools/call. Text stays text, structured content is the value, everything else becomes a short
// description of what it is.
ToolOutcome outcome_of(const json::value& result, const ToolPlan& plan);
ToolOutcome outcome_of(const RpcError& error, const std::string& server);
// A lost call of a tool that writes has an unknown outcome where the server may have got it.
ToolOutcome outcome_of(const Lost& lost, const ToolPlan& plan, const std::string& server);
ToolOutcome outcome_of(Answer answer, const ToolPlan& plan, const std::string& server);

// Without the secrets that were given to the server.
ToolOutcome without(const Secrets& secrets, ToolOutcome outcome);

// The server could not be started, so nothing was done.
ToolOutcome not_running(const std::string& server);

}  // namespace braidlog::tool::mcp
