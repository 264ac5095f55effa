#include "engine/first_events.h"

#include <algorithm>

#include "event/engine_tools.h"

namespace braidlog {

RunQueued make_queued(const api::StartRun& command, const api::Session& session, const RunnableAgent& agent,
                      std::vector<Attachment> attachments) {
  RunQueued queued;
  queued.session_id = session.id;
  queued.user_id = session.user_id;
  queued.contract = command.contract;
  queued.way = command.way;
  queued.agent = agent.agent.name;
  queued.text = command.text;
  queued.context = command.context;
  queued.title = session.title;
  queued.stops_with_client = command.stops_with_client;
  queued.attachments = std::move(attachments);
  return queued;
}

bool uses_tasks(Way way, const RunnableAgent& agent) {
  return way == Way::kExecute || std::ranges::count(agent.agent.tools, kSetTasks) > 0;
}

RunStarted make_started(const RunQueued& request, const TurnStart& turn, const RunnableAgent& agent, IdSource& ids) {
  RunStarted started;
  started.session_id = request.session_id;
  started.user_id = request.user_id;
  started.contract = request.contract;
  started.agent = agent.agent.name;
  started.agent_version = agent.agent.version;
  started.tool_names = agent.agent.tools;
  started.title = turn.title;
  started.text = request.text;
  started.user_message_id = ids.make<MessageId>();
  started.assistant_message_id = ids.make<MessageId>();
  started.message_position = turn.message_count + (request.text.empty() ? 0 : 1);
  if (uses_tasks(request.way, agent)) started.tasks = turn.tasks;
  return started;
}

RunStarted make_dropped(const RunQueued& request, const RunnableAgent& agent, IdSource& ids) {
  RunStarted started = make_started(request, {request.title, 0}, agent, ids);
  started.text.clear();
  started.message_position = 0;
  return started;
}

std::string attached_text(const std::vector<Attachment>& attachments) {
  std::string text;
  for (const auto& file : attachments) {
    const bool is_unread = file.text.empty() && !file.is_text();
    text += "\n\n## Attached file: " + file.name + "\n\n" + (is_unread ? "[This file was not read.]" : file.text);
  }
  return text;
}

}  // namespace braidlog
