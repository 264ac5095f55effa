// What the store's tables must show once a batch of events is durable. Pure.
#pragma once

#include <vector>

#include "event/run_state.h"
#include "port/run_store.h"

namespace braidlog {

// Under which name a session remembers that a tool may run: a tool that becomes another one is not the one that was
// approved.
std::string approved_name(const std::string& tool, const std::string& version);

// `after` is the state with the events folded in. Orders that became events are the caller's to add.
RunEffects effects_of(RunId run_id, const RunState& after, const std::vector<RunEvent>& events);
// The same on top of what earlier events of the run mean, that are written with these.
void add_effects(RunId run_id, const RunState& after, const std::vector<RunEvent>& events, RunEffects& into);

}  // namespace braidlog
