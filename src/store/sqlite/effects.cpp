#include "store/sqlite/effects.h"

namespace braidlog::store {

RunColumns merge(const RunColumns& before, const RunEffects& effects) {
  RunColumns after = before;
  after.status = effects.status;
  if (effects.started_at) after.started_at = effects.started_at;
  if (effects.ended_at) after.ended_at = effects.ended_at;
  if (effects.failure) {
    after.failure = effects.failure;
    after.failure_message = effects.failure_message;
  }
  if (effects.usage) after.usage = effects.usage;
  return after;
}

bool is_shown(const RunColumns& columns, const LazyBox<RunEffects>& box) {
  if (box->status != columns.status) return false;
  if (!box.is_touched()) return true;
  const RunEffects& effects = *box;
  const auto same = [](const auto& shown, const auto& said) { return !said || shown == said; };
  return same(columns.started_at, effects.started_at) && same(columns.ended_at, effects.ended_at) &&
         same(columns.usage, effects.usage) && !effects.failure && effects.messages.empty() && !effects.attached &&
         effects.approvals_opened.empty() && effects.approvals_closed.empty() && effects.tools_approved.empty() &&
         effects.orders_done.empty() && !effects.changes_items();
}

Status Effects::apply(RunId run_id, SessionId session_id, const RunEffects& effects,
                      std::optional<std::uint64_t>& next_position) {
  if (auto status = add_messages(session_id, effects, next_position); !status) return status;
  if (const auto& attached = effects.attached) {
    if (auto status = set_attached_.run(attached->message_id, session_id, attached->text); !status) return status;
  }
  for (const api::Approval& approval : effects.approvals_opened) {
    if (auto status = insert_approval_.run(approval.id, run_id, session_id, approval.tool_name, approval.args_json,
                                           approval.created_at);
        !status) {
      return status;
    }
  }
  for (const auto& [approval_id, verdict] : effects.approvals_closed) {
    if (auto status = close_approval_.run(run_id, approval_id, verdict); !status) return status;
  }
  for (const std::string& tool : effects.tools_approved) {
    if (auto status = insert_tool_.run(session_id, tool); !status) return status;
  }
  for (const std::uint64_t order_id : effects.orders_done) {
    if (auto status = delete_order_.run(order_id, run_id); !status) return status;
  }
  return effects.changes_items() ? items_.apply(session_id, effects) : Status{};
}

Status Effects::add_messages(SessionId session_id, const RunEffects& effects,
                             std::optional<std::uint64_t>& next_position) {
  if (effects.messages.empty()) return {};
  if (!next_position) {
    auto found = next_position_.one([&](const Row& row) { next_position = row.number(0); }, session_id);
    if (!found) return fail(found.error());
  }
  for (const api::Message& message : effects.messages) {
    if (auto status = insert_message_.run(message.id, session_id, (*next_position)++, message.role, message.content,
                                          message.created_at, message.run_id, message.attached);
        !status) {
      return status;
    }
  }
  return {};
}

Status Effects::write_columns(RunId run_id, Sequence last, const RunColumns& columns) {
  return update_run_.run(last.value, columns.status, columns.started_at, columns.ended_at, columns.failure,
                         columns.failure_message, columns.usage, run_id);
}

Status Effects::close_run(RunId run_id) {
  if (auto status = delete_orders_.run(run_id); !status) return status;
  return close_approvals_.run(run_id, Verdict::kRejected);
}

Status Effects::touch_session(SessionId session_id, WallTime at, std::optional<WallTime> before) {
  if (before == at) return {};
  if (!before || is_same_period(*before, at)) {
    if (auto status = touch_within_period_.run(session_id, at); !status || database_.changes() > 0) return status;
  }
  return touch_session_.run(session_id, at);
}

}  // namespace braidlog::store
