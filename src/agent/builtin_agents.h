// The agents in the binary, written as the files that an operator would write.
#pragma once

#include <vector>

#include "agent/agent_maker.h"
#include "agent/parser.h"
#include "base/result.h"

namespace braidlog::agent {

// `assistant`, and the defaults of contracts: `writer` (runs), `support` (chat), `operator` (conversation), `analyst`
// (steps) and `planner` (tasks). An error is a tool that `vocabulary` lacks.
Result<std::vector<AgentText>> builtin_agents(const Vocabulary& vocabulary);

}  // namespace braidlog::agent
