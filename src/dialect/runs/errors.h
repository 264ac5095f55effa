// The one place where an Error becomes a status and a body of the runs contract:
//
//   {"error":{"code":"RUN_NOT_FOUND","message":"…","details":{}}}
//
// Nothing of the inside is shown: what is not the caller's own doing has a fixed text.
#pragma once

#include <string_view>

#include "base/error.h"
#include "event/run_event.h"
#include "wire/http.h"

namespace braidlog::runs {

HttpResponse error_response(const Error& error);

// Why a run failed, in this contract's words: `error_code` of run_failed, and `error.code` of a run's status.
std::string_view failure_code(FailureCode code);

}  // namespace braidlog::runs
