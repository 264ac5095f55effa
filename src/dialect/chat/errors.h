// What goes wrong, in the words of the chat contract. Before the stream it is a problem document (RFC 9457):
//
//   {"type":"https://holodeck.dev/errors/not-found","title":"Not Found","status":404,"detail":"…","instance":"req_…"}
//
// and after its first byte the same fields, without the instance, are the data of the stream's `error` event. Nothing
// of the inside is shown: what is not the caller's own doing has a fixed text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"
#include "event/run_event.h"
#include "wire/http.h"

namespace braidlog::chat {

struct Problem {
  int status = 500;
  std::string_view type;  // the last part of the address: "not-found"
  std::string_view title;
  std::string detail;
};

Problem problem_of(const Error& error);
// How a run ended that did not reach its answer. The same in the stream and without one.
Problem problem_of_failure(FailureCode code, std::string_view message);
Problem problem_of_interruption(std::string_view reason);

// "type":…,"title":…,"status":…,"detail":… without braces. A detail over `detail_bytes_max` is cut, with a mark.
void append_problem_fields(std::string& out, const Problem& problem, std::size_t detail_bytes_max);

// A nil id is of no request and is left out.
HttpResponse problem_response(const Problem& problem, RequestId request_id, std::size_t detail_bytes_max);
// With the headers that belong to the status.
HttpResponse error_response(const Error& error, RequestId request_id);

}  // namespace braidlog::chat
