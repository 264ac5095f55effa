// How a run is asked for and how its turn begins, as events. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/run.h"
#include "api/session.h"
#include "port/agent_catalog.h"

namespace braidlog {

// What a turn needs of its session at the moment it begins.
struct TurnStart {
  std::string title;
  std::uint64_t message_count = 0;  // before this turn's own
  std::vector<KnownTask> tasks{};
};

RunQueued make_queued(const api::StartRun& command, const api::Session& session, const RunnableAgent& agent,
                      std::vector<Attachment> attachments);
// Whether the run reads or changes the tasks of its session.
bool uses_tasks(Way way, const RunnableAgent& agent);

RunStarted make_started(const RunQueued& request, const TurnStart& turn, const RunnableAgent& agent, IdSource& ids);
// For a run that is over before its turn came: what the user said is no part of the conversation.
RunStarted make_dropped(const RunQueued& request, const RunnableAgent& agent, IdSource& ids);

// What a model reads of files that came with a message, after the message itself. Empty without files.
std::string attached_text(const std::vector<Attachment>& attachments);

}  // namespace braidlog
