// What the tests of dialect/runs share: a dialect, a service that answers what it is told, and objects with
// fixed ids.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "dialect/runs/routes.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"

namespace braidlog::runs {

inline constexpr char kSession[] = "sess_01KHF0000070008000000000S1";
inline constexpr char kRun[] = "run_01KHF0000070008000000000R1";
inline constexpr char kOtherRun[] = "run_01KHF0000070008000000000R2";
inline constexpr char kApproval[] = "appr_01KHF0000070008000000000A1";

class RunsFixture : public ::testing::Test {
 protected:
  using Headers = std::vector<HttpHeader>;

  SessionId session_id = *SessionId::parse(kSession);
  RunId run_id = *RunId::parse(kRun);
  ApprovalId approval_id = *ApprovalId::parse(kApproval);
  Limits limits;
  RunsDialect dialect{limits};
  testing::FakeService service;

  Answer call(Method method, std::string target, std::string body = {}, Headers headers = {}) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    split_target(request);
    request.headers = std::move(headers);
    request.body = std::move(body);
    auto answer = testing::call_route(dialect, request, service, limits);
    EXPECT_TRUE(answer) << "no route for " << request.target;
    return answer ? std::move(*answer) : Answer(HttpResponse::empty(598));
  }
  HttpResponse get(std::string target, Headers headers = {}) {
    return response(call(Method::kGet, std::move(target), {}, std::move(headers)));
  }
  HttpResponse post(std::string target, std::string body = {}, Headers headers = {}) {
    return response(call(Method::kPost, std::move(target), std::move(body), std::move(headers)));
  }
  static HttpResponse response(Answer answer) {
    auto* found = std::get_if<HttpResponse>(&answer);
    EXPECT_TRUE(found) << "not a response";
    return found ? std::move(*found) : HttpResponse::empty(597);
  }
  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& h : response.headers) {
      if (equals_ignoring_case(h.name, name)) return h.value;
    }
    return "(none)";
  }
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

  api::Session session() const {
    api::Session s;
    s.id = session_id;
    s.agent = "writer";
    s.title = "New Session";
    s.created_at = s.updated_at = {1'771'102'980'000};
    return s;
  }
  api::Run run(RunStatus status) const {
    api::Run r;
    r.id = run_id;
    r.session_id = session_id;
    r.status = status;
    r.created_at = {1'771'102'980'000};
    r.last = {9};
    return r;
  }
};

}  // namespace braidlog::runs
