// `approval:` of an agent file.
#pragma once

#include "agent/tool_list.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

// `tools` are those of the same file: a policy for another tool is a fault.
api::ApprovalRules read_approval(const YAML::Node& node, const ToolList& tools, Faults& faults);

}  // namespace braidlog::agent
