// What the tests of dialect/console share.
#pragma once

#include <string>

#include "dialect/console/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::console {

using testing::kRun;
using testing::kSession;

class ConsoleFixture : public testing::RouteFixture<ConsoleDialect> {
 protected:
  ConsoleFixture() {
    service.reply<api::StartRun>(api::StartedRun{run_id, false});
    service.reply<api::GetRun>(run(RunStatus::kRunning));
  }
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }
  const api::FindRuns& query() const { return service.asked<api::FindRuns>().back(); }

  // Status and text of an error, "404 Session not found", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    if (fields.size() != 1 || !fields.contains("error")) return std::to_string(response.status) + " without an error";
    return std::to_string(response.status) + " " + std::string(fields.at("error").as_string());
  }
};

}  // namespace braidlog::console
