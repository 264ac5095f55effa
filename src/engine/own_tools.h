// The tools that the engine answers itself (event/engine_tools.h): when each is on offer, and what its arguments say.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"
#include "event/run_state.h"
#include "port/agent_catalog.h"

namespace braidlog {

// Everything that the model of this run may call now: the agent's tools, then the engine's own.
std::vector<ToolOffer> offers_of(const RunnableAgent& agent, const RunState& state);
// Of the engine's own, what an agent's list may name. None: not one of these.
std::optional<ToolOffer> listed_own_offer(std::string_view name);
// Of the engine's own, whether this one is on offer.
bool is_own_offer(const RunnableAgent& agent, const RunState& state, std::string_view name);

// {tasks: [{title, description}]}. kToolInvalidArguments with words for the model. Ids, states and order are not set.
Result<std::vector<TaskItem>> read_new_tasks(const json::value& args);
// {reason}
std::string read_reason(const json::value& args);

}  // namespace braidlog
