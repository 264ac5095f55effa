// What the tests of dialect/steps share.
#pragma once

#include <string>

#include "dialect/steps/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::steps {

using testing::kOtherRun;
using testing::kRun;
using testing::kSession;

class StepsFixture : public testing::RouteFixture<StepsDialect> {
 protected:
  const std::string base = "/sessions/" + to_uuid(session_id);
  const std::string path = base + "/stream";

  StepsFixture() { service.reply<api::StartRun>(api::StartedRun{run_id, false}); }
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }
  std::size_t started() const { return service.asked<api::StartRun>().size(); }

  // Status and text of an error, "404 Session not found", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    if (fields.size() != 1 || !fields.contains("error")) return std::to_string(response.status) + " without an error";
    return std::to_string(response.status) + " " + std::string(fields.at("error").as_string());
  }
};

}  // namespace braidlog::steps
