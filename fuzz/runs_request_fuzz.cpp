// Any request through the handlers of the runs contract, with a service that answers and with one that refuses. The
// first byte picks the route and the service, the first line is the rest of the target, the second the resume id and
// the idempotency key, the third the content type; what is left is the body.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "dialect/runs/routes.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"
#include "take_line.h"

namespace {

using namespace braidlog;
using testing::take_line;

testing::FakeService answering() {
  testing::FakeService service;
  service.reply<api::CreateSession>(api::Session{});
  service.reply<api::GetSession>(api::Session{});
  service.reply<api::ListSessions>(api::SessionList{{api::Session{}}, 1});
  service.reply<api::DeleteSession>(api::DeletedSession{});
  service.reply<api::SetAutoApprove>(api::AutoApprove{});
  service.reply<api::StartRun>(api::StartedRun{});
  service.reply<api::GetRun>(api::Run{});
  service.reply<api::ListRuns>(api::RunList{api::Run{}});
  service.reply<api::Interrupt>(api::Run{});
  service.reply<api::ListApprovals>(api::ApprovalList{api::Approval{}});
  service.reply<api::Decide>(api::Decided{});
  service.reply<api::PutFile>(api::FileInfo{});
  service.reply<api::ListFiles>(api::FileList{api::FileInfo{}});
  service.reply<api::GetFile>(api::FileContent{});
  return service;
}

// What was asked holds only what the doors let through.
void check_commands(const testing::FakeService& service, const Limits& limits) {
  for (const auto& command : service.asked<api::StartRun>()) {
    BRAIDLOG_CHECK(!command.text.empty() && command.text.size() <= limits.message_bytes_max);
    BRAIDLOG_CHECK(command.text.find('\0') == std::string::npos);
    BRAIDLOG_CHECK(command.idempotency_key.size() <= limits.idempotency_key_bytes_max);
    BRAIDLOG_CHECK(command.idempotency_key.empty() == command.fingerprint.empty());
  }
  for (const auto& command : service.asked<api::PutFile>()) BRAIDLOG_CHECK(!command.path.starts_with("../"));
  for (const auto& command : service.asked<api::GetFile>()) BRAIDLOG_CHECK(!command.path.starts_with('/'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const RunsDialect dialect;
  const Limits limits;
  const Route& route = dialect.routes()[(data[0] & 0x7f) % dialect.routes().size()];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);

  HttpRequest request;
  request.method = route.method;
  // "{}" of the pattern becomes a part of the line each, so that most inputs reach the handler.
  const std::string line = take_line(rest);
  std::string_view parts = line;
  for (std::string_view pattern = route.pattern; !pattern.empty();) {
    const auto hole = pattern.find('{');
    request.target += pattern.substr(0, hole);
    if (hole == std::string_view::npos) break;
    const auto end = parts.find(' ');
    request.target += parts.substr(0, end);
    parts.remove_prefix(end == std::string_view::npos ? parts.size() : end + 1);
    pattern.remove_prefix(pattern.find('}') + 1);
  }
  request.target += parts;
  split_target(request);
  const std::string header = take_line(rest);
  if (!header.empty()) request.headers = {{"Last-Event-ID", header}, {"Idempotency-Key", header}};
  request.headers.push_back({"Content-Type", take_line(rest)});
  request.body = std::string(rest);

  auto service = (data[0] & 0x80) != 0 ? testing::FakeService() : answering();
  const auto answer = testing::call_route(dialect, request, service, limits);
  if (!answer) return 0;
  check_commands(service, limits);
  const auto* response = std::get_if<HttpResponse>(&*answer);
  if (response == nullptr) return 0;
  BRAIDLOG_CHECK(response->status >= 200 && response->status < 600);
  BRAIDLOG_CHECK(response->status != 500 || (data[0] & 0x80) != 0);
  if (response->status >= 400) BRAIDLOG_CHECK(parse_json(response->body).has_value());
  return 0;
}
