// What every contract makes of an Error in the same way. A contract's errors.cpp has its own shape, its own words and
// the statuses in which it differs; the rest is here.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "wire/http.h"

namespace braidlog {

// The status that most contracts use.
int usual_status(ErrorCode code);

// What the client may be told: the error's own words where they are about the request, a fixed text where they are
// about our inside. Never empty, always UTF-8.
std::string client_message(const Error& error);

// Why a run has no answer, in contracts that say it in one text: it was interrupted, or it failed.
inline constexpr std::string_view kInterruptedText = "Run interrupted";
std::string_view failure_text(std::string_view message);

// Headers that belong to the status: Allow (405), WWW-Authenticate (401), Retry-After (429 and 503, in seconds; the
// error's subject where it is a number).
void add_error_headers(HttpResponse& response, const Error& error);

}  // namespace braidlog
