// What a model reads: the session's earlier messages, then this run as its state tells it. Pure.
#pragma once

#include <memory>
#include <vector>

#include "api/session.h"
#include "base/limits.h"
#include "event/run_state.h"
#include "port/agent_catalog.h"
#include "port/model.h"

namespace braidlog {

// Every call in the prompt has its result, whatever happened to it: a provider refuses a history with open
// calls. `history` are the session's messages before this run. What is too long for the model is cut
// (engine/context_window.h).
ModelRequest make_prompt(const RunnableAgent& agent, const std::vector<api::Message>& history, const RunState& state,
                         const Limits& limits);

}  // namespace braidlog
