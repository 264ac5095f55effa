// Results of commands and queries -> responses of the runs contract. Field names and their order are the
// contract's.
#pragma once

#include <string_view>

#include "api/service.h"
#include "base/json.h"
#include "wire/http.h"

namespace braidlog::runs {

std::string_view status_name(RunStatus status);
// {code, message} of a run that failed; null of any other.
void write_error(JsonWriter& w, const api::Run& run);

HttpResponse session_created(const api::Session& session);
HttpResponse session_list(const api::SessionList& list);
HttpResponse session_detail(const api::Session& session);
HttpResponse session_deleted(const api::DeletedSession& deleted);
HttpResponse auto_approve(const api::AutoApprove& setting);

HttpResponse run_queued(const api::StartedRun& run);
HttpResponse run_list(const api::RunList& list);
HttpResponse run_status(const api::Run& run);
// 202 while the run is ending, 200 when it was over before.
HttpResponse run_interrupting(const api::Run& run);

// The list over all sessions says in each item which session it is of: to decide, a client needs it.
HttpResponse all_approvals(const api::ApprovalList& list);
HttpResponse session_approvals(const api::ApprovalList& list);
HttpResponse decided(const api::Decided& decision);

HttpResponse file_uploaded(const api::FileInfo& file);
HttpResponse file_list(const api::FileList& list);
// An attachment that no browser runs or renders in our origin.
HttpResponse file_download(api::FileContent file);

}  // namespace braidlog::runs
