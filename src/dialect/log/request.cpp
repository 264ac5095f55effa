#include "dialect/log/request.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "dialect/contracts.h"
#include "dialect/log/routes.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"

namespace braidlog::log {

namespace {

// The `event:` line of a watch is ours, so only frames that have none of their own fit.
constexpr std::array kViews{kLogView, kAllContracts};
constexpr std::size_t kRunNameBytesMax = 64;

// It stands in an `event:` line again when it is refused.
bool may_be_run_name(std::string_view text) {
  return !text.empty() && text.size() <= kRunNameBytesMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Result<OpenWatch::Watch> read_one(std::string_view text) {
  const auto first = text.find(':');
  if (first == std::string_view::npos) return bad_field("watch", "must be VIEW:RUN or VIEW:RUN:AFTER");
  const auto second = text.find(':', first + 1);
  const std::string_view view = text.substr(0, first), run = text.substr(first + 1, second - first - 1);
  if (std::ranges::find(kViews, view) == kViews.end()) return bad_field("watch", "must begin with `log:` or `all:`");
  if (!may_be_run_name(run)) return bad_field("watch", "must name a run after its view");
  const auto id = RunId::parse(run);
  OpenWatch::Watch watch{std::string(view), id ? to_prefixed(*id) : std::string(run), id, std::nullopt};
  if (second == std::string_view::npos) return watch;
  watch.after = parse_event_id(text.substr(second + 1));
  if (!watch.after || watch.after->run_id != id)
    return bad_field("watch", "must end with the id of an event of its run");
  return watch;
}

Result<bool> wants_notices(const HttpRequest& http) {
  const auto text = http.parameter("notices");
  if (!text || *text == "0") return false;
  if (*text == "1") return true;
  return bad_field("notices", "must be 0 or 1");
}

}  // namespace

Result<api::GetRun> read_log(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  return run_id_of(request.captured[0]).map([](RunId id) { return api::GetRun{id}; });
}

Result<OpenWatch> read_watch(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  OpenWatch open;
  for (const auto& [name, value] : request.http.query) {
    if (name != "watch") continue;
    if (open.watches.size() == request.limits.watches_max) {
      return bad_field("watch", "may be there at most " + std::to_string(request.limits.watches_max) + " times");
    }
    auto watch = read_one(value);
    if (!watch) return fail(std::move(watch.error()));
    open.watches.push_back(std::move(*watch));
  }
  const auto notices = wants_notices(request.http), everybody = wants_everybody(request.http);
  if (!notices) return fail(notices.error());
  if (!everybody) return fail(everybody.error());
  open.notices = *notices;
  open.everybody = *everybody;
  return open;
}

}  // namespace braidlog::log
