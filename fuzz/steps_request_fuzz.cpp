// Any request through the handlers of the steps contract, with a service that answers and with one that refuses. The
// first byte picks the route and the service, the first line is the id of the path, the second the query, the third the
// resume id, the fourth the idempotency key; what is left is the body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dialect/steps/routes.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"
#include "take_line.h"

namespace {

using namespace braidlog;
using testing::take_line;

testing::FakeService answering() {
  testing::FakeService service;
  api::Session busy;
  busy.active_run = RunId{};
  busy.usage = Usage{.input_tokens = 1, .output_tokens = 2};
  service.reply<api::StartRun>(api::StartedRun{});
  service.reply<api::GetRun>(api::Run{});
  service.reply<api::GetSession>(busy);
  service.reply<api::Interrupt>(api::Run{});
  service.reply<api::ListSteps>(api::StepList{PlanMade{.step_number = 1, .text = "\u2028"}, StepFinished{}});
  return service;
}

// What was asked holds only what the doors let through.
void check_commands(const testing::FakeService& service, const Limits& limits) {
  for (const auto& command : service.asked<api::StartRun>()) {
    BRAIDLOG_CHECK(is_valid_utf8(command.text) && !is_blank(command.text));
    BRAIDLOG_CHECK(command.text.size() <= limits.message_bytes_max);
    BRAIDLOG_CHECK(command.text.find('\0') == std::string::npos);
    BRAIDLOG_CHECK(command.session_id.has_value() && command.way == Way::kSteps);
    BRAIDLOG_CHECK(command.idempotency_key.empty() == command.fingerprint.empty());
    BRAIDLOG_CHECK(service.asked<api::GetRun>().empty());  // who resumes starts nothing
  }
  for (const auto& command : service.asked<api::GetRun>()) BRAIDLOG_CHECK(command.session_id.has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const StepsDialect dialect;
  Limits limits;
  limits.message_bytes_max = 100;
  const Route& route = dialect.routes()[(data[0] & 0x7f) % dialect.routes().size()];
  const bool refuses = (data[0] & 0x80) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);

  HttpRequest request;
  request.method = route.method;
  const auto id = route.pattern.find("{}");
  request.target = std::string(route.pattern.substr(0, id)) + take_line(rest);
  request.target += route.pattern.substr(id + 2);
  request.target += take_line(rest);
  split_target(request);
  const std::string resume = take_line(rest), key = take_line(rest);
  if (!resume.empty()) request.headers.push_back({"Last-Event-ID", resume});
  if (!key.empty()) request.headers.push_back({"Idempotency-Key", key});
  request.body = std::string(rest);

  auto service = refuses ? testing::FakeService() : answering();
  auto answer = testing::call_route(dialect, request, service, limits);
  if (!answer) return 0;
  check_commands(service, limits);
  const auto* response = std::get_if<HttpResponse>(&*answer);
  if (response == nullptr) return 0;
  BRAIDLOG_CHECK(response->status >= 200 && response->status < 600);
  BRAIDLOG_CHECK(response->status != 500 || refuses);
  if (response->status != 204) BRAIDLOG_CHECK(parse_json(response->body).has_value());
  return 0;
}
