// Any request through the handlers of the tasks contract, with a service that answers and with one that refuses. The
// first byte picks the route and the service, the first line is what stands in the path after the first part that
// varies, and the query; the second is a resume id, the third the idempotency key; what is left is the body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dialect/session_items.h"
#include "dialect/tasks/routes.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"
#include "take_line.h"

namespace {

using namespace braidlog;
using testing::take_line;

// What the session holds has the body for its name: it comes from a model, and may be anything.
testing::FakeService answering(const std::string& name) {
  testing::FakeService service;
  api::Artifact artifact;
  artifact.name = to_valid_utf8(name);
  service.reply<api::StartRun>(api::StartedRun{});
  service.reply<api::ListTasks>(api::TaskList{api::Task{}});
  service.reply<api::GetTask>(api::Task{});
  service.reply<api::ListArtifacts>(api::ArtifactList{artifact});
  service.reply<api::GetArtifact>(artifact);
  service.reply<api::DeleteArtifact>(api::DeletedArtifact{});
  service.reply<api::ListDataItems>(api::DataItemList{api::DataItem{}});
  service.reply<api::GetDataItem>(api::DataItem{});
  return service;
}

// What was asked holds only what the doors let through.
void check_commands(const testing::FakeService& service, const Limits& limits) {
  for (const auto& command : service.asked<api::StartRun>()) {
    BRAIDLOG_CHECK(command.session_id.has_value());
    BRAIDLOG_CHECK(is_valid_utf8(command.text) && command.text.size() <= limits.message_bytes_max);
    BRAIDLOG_CHECK(is_blank(command.text) == (command.way == Way::kExecute));
    BRAIDLOG_CHECK(command.text.find('\0') == std::string::npos);
    BRAIDLOG_CHECK(command.idempotency_key.empty() == command.fingerprint.empty());
  }
  for (const auto& query : service.asked<api::ListArtifacts>()) {
    BRAIDLOG_CHECK(query.type.empty() || is_artifact_type(query.type));
  }
  for (const auto& query : service.asked<api::ListDataItems>()) BRAIDLOG_CHECK(is_valid_utf8(query.item_type));
  BRAIDLOG_CHECK(service.asked<api::GetRun>().empty());  // nobody resumes
}

// No header can be left, and no path be named.
void check_download(const HttpResponse& response) {
  for (const auto& header : response.headers) {
    BRAIDLOG_CHECK(header.value.find_first_of("\r\n") == std::string::npos);
    if (header.name != "Content-Disposition") continue;
    BRAIDLOG_CHECK(header.value.starts_with("attachment; filename=\""));
    BRAIDLOG_CHECK(header.value.find_first_of("/\\") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const TasksDialect dialect;
  Limits limits;
  limits.message_bytes_max = 100;
  const Route& route = dialect.routes()[(data[0] & 0x7f) % dialect.routes().size()];
  const bool refuses = (data[0] & 0x80) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);

  HttpRequest request;
  request.method = route.method;
  request.target = std::string(route.pattern.substr(0, route.pattern.find("{}"))) + take_line(rest);
  split_target(request);
  const std::string resume = take_line(rest), key = take_line(rest);
  if (!resume.empty()) request.headers.push_back({"Last-Event-ID", resume});
  if (!key.empty()) request.headers.push_back({"Idempotency-Key", key});
  request.body = std::string(rest);

  auto service = refuses ? testing::FakeService() : answering(request.body);
  auto answer = testing::call_route(dialect, request, service, limits);
  if (!answer) return 0;
  check_commands(service, limits);
  const auto* response = std::get_if<HttpResponse>(&*answer);
  if (response == nullptr) return 0;
  BRAIDLOG_CHECK(response->status >= 200 && response->status < 600);
  BRAIDLOG_CHECK(response->status != 500 || refuses);
  const bool is_download = request.path.ends_with("/download") && response->status == 200;
  if (is_download) check_download(*response);
  if (!is_download && response->status != 204) BRAIDLOG_CHECK(parse_json(response->body).has_value());
  return 0;
}
