#include "store/sqlite/session_writes.h"

namespace braidlog::store {

namespace {

tl::unexpected<Error> no_session() {
  return fail(ErrorCode::kSessionNotFound, "Session not found");
}

}  // namespace

Result<WriteOutcome> SessionWrites::apply(const NewSession& write) {
  const api::Session& session = write.session;
  if (auto status =
          insert_.run(session.id, session.user_id, session.title, session.agent, session.contract, session.auto_approve,
                      session.created_at, session.updated_at, session.status, session.task_version);
      !status) {
    return fail(status.error());
  }
  for (const std::string& tool : session.approved_tools) {
    if (auto status = insert_tool_.run(session.id, tool); !status) return fail(status.error());
  }
  return WriteOutcome{};
}

Result<WriteOutcome> SessionWrites::apply(const SetSession& write) {
  if (auto status = update_.run(write.id, write.auto_approve, write.title, write.updated_at); !status) {
    return fail(status.error());
  }
  if (database_.changes() == 0) return no_session();
  return WriteOutcome{};
}

Result<WriteOutcome> SessionWrites::apply(const RemoveSession& write) {
  auto unfinished = find_unfinished_.one([](const Row&) {}, write.id);
  if (!unfinished) return fail(unfinished.error());
  if (*unfinished) return fail(ErrorCode::kInvalidState, "a run of the session is unfinished");

  if (auto status = items_.remove_all(write.id); !status) return fail(status.error());
  for (Statement* statement : {&delete_records_, &delete_approvals_, &delete_orders_, &delete_keys_, &delete_messages_,
                               &delete_tools_, &delete_runs_, &delete_session_}) {
    if (auto status = statement->run(write.id); !status) return fail(status.error());
  }
  if (database_.changes() == 0) return no_session();
  journal_.stage_removal();
  return WriteOutcome{};
}

}  // namespace braidlog::store
