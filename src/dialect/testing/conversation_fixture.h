// What the tests of dialect/conversation share.
#pragma once

#include <string>

#include "dialect/conversation/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::conversation {

using testing::kOtherRun;
using testing::kRun;
using testing::kSession;

class ConversationFixture : public testing::RouteFixture<ConversationDialect> {
 protected:
  // Status and text of an error, "404 Conversation not found", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    if (fields.size() != 1 || !fields.contains("detail")) return std::to_string(response.status) + " without a detail";
    return std::to_string(response.status) + " " + std::string(fields.at("detail").as_string());
  }
  api::Conversation conversation() const {
    api::Conversation c{session(), {}};
    c.session.title = "System Status Check";
    c.view.messages = {message("user", "Is it up?"), message("assistant", "Yes.")};
    return c;
  }
};

inline constexpr char kConversationJson[] =
    R"({"id":"019c5e00-0000-3800-0400-000000000321","title":"System Status Check",)"
    R"("updated_at":"2026-02-14T21:03:00.000Z","conversation":[)"
    R"({"role":"user","content":"Is it up?","created_at":"2026-02-14T21:03:00.000Z"},)"
    R"({"role":"assistant","content":"Yes.","created_at":"2026-02-14T21:03:00.000Z"}]})";

}  // namespace braidlog::conversation
