// What the tests of dialect/runs share.
#pragma once

#include <string>

#include "dialect/runs/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::runs {

using testing::kApproval;
using testing::kOtherRun;
using testing::kRun;
using testing::kSession;

class RunsFixture : public testing::RouteFixture<RunsDialect> {
 protected:
  // Status and code of an error, "400 BAD_REQUEST", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto* error = body->get_object().if_contains("error");
    if (error == nullptr || !error->is_object()) return std::to_string(response.status) + " without an error";
    const auto& fields = error->get_object();
    EXPECT_EQ(fields.size(), 3u);
    EXPECT_TRUE(fields.at("message").is_string());
    EXPECT_TRUE(fields.at("details").is_object());
    return std::to_string(response.status) + " " + std::string(fields.at("code").as_string());
  }
};

}  // namespace braidlog::runs
