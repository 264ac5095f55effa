// Clients that come back: where they stopped reading, and what a URL that would start a run does for them.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "dialect/dialect.h"

namespace braidlog {

// What the client says it has: the Last-Event-ID header, or `?last_event_id=`. An empty one is none. The header wins: a
// browser's EventSource sends it by itself on a reconnect, while the URL stays as it was.
std::optional<std::string_view> last_event_id_text(const HttpRequest& http);
// The same as an id; none also when it is not one.
std::optional<EventId> last_event_id(const HttpRequest& http);

// An id of an event that a finished run does not have is no id of this run.
bool is_of_run(const EventId& id, const api::Run& run);

// For URLs that would start a run and answer with a stream. None: the client has nothing, go on. Else the answer, and
// no run is started, whatever body and fields say: the stream of the run that the id names, if it is the caller's own,
// or one of the session that the URL names; 204 for every other id; kGone past retention.
struct ResumeRule {
  std::string_view contract;
  std::function<HttpResponse(const Error&)> error;  // of the contract
  ViewerRole role = ViewerRole::kViewer;
  std::optional<SessionId> session_id{};  // every run of it that the caller may see, and no other
};
std::optional<Answer> resume_run(const HttpRequest& http, ResumeRule rule);

}  // namespace braidlog
