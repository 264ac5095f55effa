// Any query of a stream of many runs. What is let through must be safe to stand in an `event:` line, and of an event of
// its own run.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "base/check.h"
#include "base/json.h"
#include "dialect/log/routes.h"
#include "dialect/log/watch_frames.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  Limits limits;
  limits.watches_max = 4;
  HttpRequest request;
  request.method = Method::kGet;
  request.target = "/watch?" + std::string(reinterpret_cast<const char*>(data), size);
  split_target(request);
  if (request.path != "/watch") return 0;
  testing::FakeService service;
  const auto answer = testing::call_route(LogDialect(), request, service, limits);
  BRAIDLOG_CHECK(answer.has_value() && service.asked_count() == 0);
  if (const auto* refused = std::get_if<HttpResponse>(&*answer)) {
    BRAIDLOG_CHECK(refused->status == 400 && parse_json(refused->body).has_value());
    return 0;
  }
  const auto& open = std::get<OpenWatch>(*answer);
  BRAIDLOG_CHECK(open.watches.size() <= limits.watches_max);
  for (const auto& watch : open.watches) {
    BRAIDLOG_CHECK(watch.view == "log" || watch.view == "all");
    BRAIDLOG_CHECK(!watch.run_id || watch.run == to_prefixed(*watch.run_id));
    BRAIDLOG_CHECK(!watch.after || watch.after->run_id == watch.run_id);
    const std::string line = log::event_line({watch.view, watch.run});
    BRAIDLOG_CHECK(std::ranges::count(line, '\n') == 1 && line.find('\r') == std::string::npos);
  }
  return 0;
}
