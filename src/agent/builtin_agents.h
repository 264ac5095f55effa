// The agents in the binary, written as the files that an operator would write.
#pragma once

#include "agent/parser.h"
#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

// `assistant`, the default, and `writer`, the default of the runs contract. An error is a tool that
// `vocabulary` lacks.
Result<api::AgentList> builtin_agents(const Vocabulary& vocabulary);

}  // namespace braidlog::agent
