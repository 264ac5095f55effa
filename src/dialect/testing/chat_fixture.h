// What the tests of dialect/chat share.
#pragma once

#include <string>

#include "dialect/chat/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::chat {

using testing::kOtherRun;
using testing::kRun;

class ChatFixture : public testing::RouteFixture<ChatDialect> {
 protected:
  static constexpr char kStream[] = "/agent/support/chat/stream";
  static constexpr char kChat[] = "/agent/support/chat";

  ChatFixture() { service.reply<api::StartRun>(api::StartedRun{run_id, false}); }
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }
  std::size_t started() const { return service.asked<api::StartRun>().size(); }

  // Status and type of a problem, "404 not-found", after a look at its shape.
  static std::string problem_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    EXPECT_EQ(header(response, "Content-Type"), "application/problem+json");
    EXPECT_EQ(fields.size(), fields.contains("instance") ? 5u : 4u);
    for (const char* name : {"type", "title", "detail"}) {
      const auto* field = fields.if_contains(name);
      if (field == nullptr || !field->is_string() || field->get_string().empty()) return "no " + std::string(name);
    }
    EXPECT_EQ(fields.at("status").to_number<int>(), response.status);
    constexpr std::string_view kBase = "https://holodeck.dev/errors/";
    const std::string_view type = fields.at("type").get_string();
    if (!type.starts_with(kBase)) return "no type of ours";
    return std::to_string(response.status) + " " + std::string(type.substr(kBase.size()));
  }
  static std::string detail_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    return body ? std::string(body->at("detail").as_string()) : "no body";
  }
};

}  // namespace braidlog::chat
