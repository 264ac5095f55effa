// HTTP requests of the runs contract -> commands and queries, or the Error that the client gets. Body and
// fields are looked at before the ids of the path: what is wrong with them is told even when the object does
// not exist. An id that is none is answered as not found.
#pragma once

#include <optional>
#include <string>

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::runs {

Result<api::CreateSession> read_create_session(const RouteRequest& request);
Result<api::ListSessions> read_list_sessions(const RouteRequest& request);
Result<api::GetSession> read_get_session(const RouteRequest& request);
Result<api::DeleteSession> read_delete_session(const RouteRequest& request);
Result<api::SetAutoApprove> read_auto_approve(const RouteRequest& request);

Result<api::StartRun> read_message(const RouteRequest& request);
Result<api::ListRuns> read_list_runs(const RouteRequest& request);
Result<api::GetRun> read_session_run(const RouteRequest& request);
Result<api::GetRun> read_run(const RouteRequest& request);
Result<api::Interrupt> read_interrupt(const RouteRequest& request);

// Which run, in which contract's frames, and where the client stopped reading.
struct StreamRequest {
  api::GetRun run;
  std::string contract;
  std::optional<EventId> after;
};
Result<StreamRequest> read_session_stream(const RouteRequest& request);
Result<StreamRequest> read_stream(const RouteRequest& request);

Result<api::ListApprovals> read_all_approvals(const RouteRequest& request);
Result<api::ListApprovals> read_session_approvals(const RouteRequest& request);
Result<api::Decide> read_approve(const RouteRequest& request);
Result<api::Decide> read_reject(const RouteRequest& request);

Result<api::PutFile> read_upload(const RouteRequest& request);
Result<api::ListFiles> read_list_files(const RouteRequest& request);
Result<api::GetFile> read_get_file(const RouteRequest& request);

}  // namespace braidlog::runs
