// Any request through the handlers of the chat contract, with a service that answers and with one that refuses. The
// first byte picks the route and the service, the first line is the agent and the query, the second the resume id, the
// third the idempotency key, the fourth the content type; what is left is the body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dialect/chat/routes.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"
#include "take_line.h"

namespace {

using namespace braidlog;
using testing::take_line;

testing::FakeService answering(bool existed) {
  testing::FakeService service;
  service.reply<api::StartRun>(api::StartedRun{{}, existed});
  service.reply<api::GetRun>(api::Run{});
  service.reply<api::GetAgent>(api::Agent{});
  return service;
}

void check_file(const api::AttachedFile& file, const Limits& limits) {
  BRAIDLOG_CHECK(!file.name.empty() && file.name.size() <= 255 + 4 && is_valid_utf8(file.name));
  BRAIDLOG_CHECK(file.name.find_first_of(std::string_view("/\\\n\r\0", 5)) == std::string::npos);
  BRAIDLOG_CHECK(file.name != "." && file.name != "..");
  BRAIDLOG_CHECK(file.media_type.starts_with("text/"));
  BRAIDLOG_CHECK(!file.content.empty() && file.content.size() <= limits.chat_file_bytes_max);
  BRAIDLOG_CHECK(is_valid_utf8(file.content) && file.content.find('\0') == std::string::npos);
}

// What was asked holds only what the doors let through.
void check_commands(const testing::FakeService& service, const Limits& limits) {
  for (const auto& command : service.asked<api::StartRun>()) {
    BRAIDLOG_CHECK(is_valid_utf8(command.text) && !is_blank(command.text));
    BRAIDLOG_CHECK(count_code_points(command.text) <= limits.chat_message_characters_max);
    BRAIDLOG_CHECK(command.text.find('\0') == std::string::npos);
    BRAIDLOG_CHECK(is_valid_utf8(command.title) && count_code_points(command.title) <= 80);
    BRAIDLOG_CHECK(command.idempotency_key.empty() == command.fingerprint.empty());
    BRAIDLOG_CHECK(command.files.size() <= limits.chat_files_max);
    for (const auto& file : command.files) check_file(file, limits);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ChatDialect dialect;
  Limits limits;
  limits.chat_message_characters_max = 100;
  limits.chat_file_bytes_max = 100;
  limits.chat_files_max = 3;
  const Route& route = dialect.routes()[(data[0] & 0x3f) % dialect.routes().size()];
  const bool refuses = (data[0] & 0x80) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);

  HttpRequest request;
  request.method = route.method;
  const std::string line = take_line(rest);
  const auto query = line.find('?');
  const auto hole = route.pattern.find("{}");
  request.target = std::string(route.pattern.substr(0, hole)) + line.substr(0, query) +
                   std::string(route.pattern.substr(hole + 2)) +
                   (query == std::string::npos ? std::string() : line.substr(query));
  split_target(request);
  const std::string resume = take_line(rest), key = take_line(rest);
  if (!resume.empty()) request.headers.push_back({"Last-Event-ID", resume});
  if (!key.empty()) request.headers.push_back({"Idempotency-Key", key});
  request.headers.push_back({"Content-Type", take_line(rest)});
  request.body = std::string(rest);

  auto service = refuses ? testing::FakeService() : answering((data[0] & 0x40) != 0);
  const auto answer = testing::call_route(dialect, request, service, limits);
  if (!answer) return 0;
  check_commands(service, limits);
  if (!resume.empty() && route.streams) BRAIDLOG_CHECK(service.asked<api::StartRun>().empty());
  const auto* response = std::get_if<HttpResponse>(&*answer);
  if (response == nullptr) return 0;
  BRAIDLOG_CHECK(response->status >= 200 && response->status < 600);
  BRAIDLOG_CHECK(response->status != 500 || refuses);
  if (response->status < 400) return 0;
  const auto problem = parse_json(response->body);
  BRAIDLOG_CHECK(problem.has_value() && problem->at("status").to_number<int>() == response->status);
  return 0;
}
