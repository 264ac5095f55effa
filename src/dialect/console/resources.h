// Results of commands and queries -> responses to the console.
#pragma once

#include "api/service.h"
#include "wire/http.h"

namespace braidlog::console {

HttpResponse run_started(const api::Run& run);
HttpResponse found_runs(const api::FoundRuns& found);
HttpResponse agents_body(const api::AgentsInfo& info);
HttpResponse system_body(const api::ServerFigures& figures);

}  // namespace braidlog::console
