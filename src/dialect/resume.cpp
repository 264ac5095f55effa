#include "dialect/resume.h"

#include <string>

namespace braidlog {

std::optional<std::string_view> last_event_id_text(const HttpRequest& http) {
  auto text = http.header("Last-Event-ID");
  if (!text || text->empty()) text = http.parameter("last_event_id");
  return text && !text->empty() ? text : std::nullopt;
}

std::optional<EventId> last_event_id(const HttpRequest& http) {
  const auto text = last_event_id_text(http);
  return text ? parse_event_id(*text) : std::nullopt;
}

bool is_of_run(const EventId& id, const api::Run& run) {
  return id.run_id == run.id && (!is_over(run.status) || id.sequence <= run.last);
}

std::optional<Answer> resume_run(const HttpRequest& http, ResumeRule rule) {
  if (!last_event_id_text(http)) return std::nullopt;
  const auto after = last_event_id(http);
  if (!after) return HttpResponse::empty(204);
  api::GetRun query;
  query.id = after->run_id;
  query.session_id = rule.session_id;
  query.own = !rule.session_id;
  return ask(query, [rule, after = *after](Result<api::Run> run) -> Answer {
    if (!run) {
      const bool is_other =
          run.error().code == ErrorCode::kRunNotFound || run.error().code == ErrorCode::kSessionNotFound;
      return is_other ? HttpResponse::empty(204) : rule.error(run.error());
    }
    if (!is_of_run(after, *run)) return HttpResponse::empty(204);
    if (!run->replayable) return rule.error({ErrorCode::kGone, "The events of this run are gone", {}});
    OpenStream stream;
    stream.run_id = run->id;
    stream.contract = rule.contract;
    stream.after = after;
    stream.role = rule.role;
    return stream;
  });
}

}  // namespace braidlog
