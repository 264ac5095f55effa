#include "dialect/console/request.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/files/posted_message.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"
#include "dialect/runs/resources.h"
#include "dialect/title.h"

namespace braidlog::console {

namespace {

constexpr NumberRule kPage{.min = 1, .max = 200, .fallback = 50};
constexpr std::size_t kWordsBytesMax = 256;

// How the console has an agent work: which contract the run is of, and in which way.
struct Work {
  std::string_view name;
  std::string_view contract;
  Way way;
};
constexpr Work kWays[] = {{"converse", kRunsContract, Way::kConverse},
                          {"steps", kStepsContract, Way::kSteps},
                          {"tasks", kTasksContract, Way::kConverse},
                          {"execute", kTasksContract, Way::kExecute}};

Result<std::optional<RunStatus>> status_parameter(const HttpRequest& http) {
  const auto word = http.parameter("status");
  if (!word) return std::optional<RunStatus>();
  using enum RunStatus;
  for (const auto status : {kQueued, kRunning, kWaitingApproval, kInterrupting, kCompleted, kFailed, kInterrupted}) {
    if (*word == runs::status_name(status)) return std::optional(status);
  }
  return bad_field("status",
                   "must be queued, running, waiting_approval, interrupting, completed, failed or interrupted");
}

template <class IdType>
Result<std::optional<IdType>> id_parameter(const HttpRequest& http, std::string_view name) {
  const auto text = http.parameter(name);
  if (!text) return std::optional<IdType>();
  const auto id = IdType::parse(*text);
  if (!id) return bad_field(name, "must be an id");
  return id;
}

// There and not blank, or not there.
Result<std::string> name_field(const files::PostedMessage& posted, std::string_view name) {
  auto value = posted.field(name);
  if (!value) return std::string();
  if (is_blank(*value)) return bad_field(name, "must not be blank");
  return std::move(*value);
}

Result<Work> way_of(const files::PostedMessage& posted) {
  const auto name = posted.field("way");
  if (!name) return kWays[0];
  const auto way = std::ranges::find(kWays, *name, &Work::name);
  if (way == std::end(kWays)) return bad_field("way", "must be converse, steps, tasks or execute");
  return *way;
}

// What there is to do: a message, with files; or, to execute, what the session's tasks say.
Status take_message(const RouteRequest& request, const files::PostedMessage& posted, api::StartRun& command) {
  auto message = posted.field("message");
  if (command.way == Way::kExecute) {
    if (!command.session_id) return bad_field("session_id", "is required to execute its tasks");
    if (message || !posted.files().empty()) return bad_field("message", "must not be there: the tasks say what to do");
    return {};
  }
  if (auto status = check_message(request, message); !status) return status;
  auto files = files::check_files(posted.files(), request.limits);
  if (!files) return fail(std::move(files.error()));
  command.text = std::move(*message);
  command.files = std::move(*files);
  command.title = title_of(command.text);
  return {};
}

std::string fingerprint_of(const api::StartRun& command, std::string_view way) {
  std::string text = "console/runs\n" + std::string(way) + "\n" + command.agent + "\n" +
                     std::to_string(command.text.size()) + "\n" + command.text;
  for (const auto& file : command.files) text += "\n" + files::digest_of(file);
  return text;
}

}  // namespace

Result<api::FindRuns> read_find_runs(const RouteRequest& request) {
  const HttpRequest& http = request.http;
  if (auto status = check_query(http); !status) return fail(std::move(status.error()));
  api::FindRuns query;
  query.words = http.parameter("q").value_or("");
  if (auto status = check_text("q", query.words, kWordsBytesMax); !status) return fail(std::move(status.error()));
  const auto status = status_parameter(http);
  if (!status) return fail(status.error());
  query.status = *status;
  query.agent = http.parameter("agent").value_or("");
  const auto session_id = id_parameter<SessionId>(http, "session_id");
  if (!session_id) return fail(session_id.error());
  query.session_id = *session_id;
  const auto before = id_parameter<RunId>(http, "before");
  if (!before) return fail(before.error());
  query.before = *before;
  const auto limit = number_parameter(http, "limit", kPage);
  if (!limit) return fail(limit.error());
  query.limit = *limit;
  const auto everybody = wants_everybody(http);
  if (!everybody) return fail(everybody.error());
  query.everybody = *everybody;
  return query;
}

Result<api::StartRun> read_start(const RouteRequest& request) {
  const auto posted = files::PostedMessage::read(request, {"message", "agent", "session_id", "way"});
  if (!posted) return fail(posted.error());
  const auto work = way_of(*posted);
  if (!work) return fail(work.error());
  api::StartRun command;
  command.contract = work->contract;
  command.way = work->way;
  auto agent = name_field(*posted, "agent");
  if (!agent) return fail(std::move(agent.error()));
  command.agent = std::move(*agent);
  if (const auto text = posted->field("session_id")) {
    const auto session_id = session_id_of(*text);
    if (!session_id) return fail(session_id.error());
    command.session_id = *session_id;
  }
  if (auto taken = take_message(request, *posted, command); !taken) return fail(std::move(taken.error()));
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  if (!key->empty()) command.fingerprint = fingerprint_of(command, work->name);
  command.idempotency_key = std::move(*key);
  return command;
}

Result<api::ListAgents> read_list_agents(const RouteRequest&) {
  return api::ListAgents{{kContracts.begin(), kContracts.end()}};
}

Result<api::GetSystem> read_get_system(const RouteRequest&) {
  return api::GetSystem{};
}

}  // namespace braidlog::console
