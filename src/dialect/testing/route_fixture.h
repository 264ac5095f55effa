// What the tests of a dialect's routes share: the dialect, a service that answers what it is told, requests without a
// server, and objects with fixed ids.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"

namespace braidlog::testing {

inline constexpr char kSession[] = "sess_01KHF0000070008000000000S1";
inline constexpr char kRun[] = "run_01KHF0000070008000000000R1";
inline constexpr char kOtherRun[] = "run_01KHF0000070008000000000R2";
inline constexpr char kApproval[] = "appr_01KHF0000070008000000000A1";

template <class DialectType>
class RouteFixture : public ::testing::Test {
 protected:
  using Headers = std::vector<HttpHeader>;

  SessionId session_id = *SessionId::parse(kSession);
  RunId run_id = *RunId::parse(kRun);
  ApprovalId approval_id = *ApprovalId::parse(kApproval);
  Limits limits;
  DialectType dialect;
  FakeService service;

  Answer call(Method method, std::string target, std::string body = {}, Headers headers = {}) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    split_target(request);
    request.headers = std::move(headers);
    request.body = std::move(body);
    auto answer = call_route(dialect, request, service, limits);
    EXPECT_TRUE(answer) << "no route for " << request.target;
    return answer ? std::move(*answer) : Answer(HttpResponse::empty(598));
  }
  HttpResponse get(std::string target, Headers headers = {}) {
    return response(call(Method::kGet, std::move(target), {}, std::move(headers)));
  }
  HttpResponse post(std::string target, std::string body = {}, Headers headers = {}) {
    return response(call(Method::kPost, std::move(target), std::move(body), std::move(headers)));
  }
  HttpResponse patch(std::string target, std::string body = {}) {
    return response(call(Method::kPatch, std::move(target), std::move(body)));
  }
  HttpResponse del(std::string target) { return response(call(Method::kDelete, std::move(target))); }

  static HttpResponse response(Answer answer) {
    auto* found = std::get_if<HttpResponse>(&answer);
    EXPECT_TRUE(found) << "not a response";
    return found ? std::move(*found) : HttpResponse::empty(597);
  }
  static OpenStream stream(Answer answer) {
    auto* found = std::get_if<OpenStream>(&answer);
    EXPECT_TRUE(found) << "not a stream";
    return found ? std::move(*found) : OpenStream{};
  }
  // What an answer that waits for its run becomes when the run has ended like this.
  static HttpResponse rendered(Answer answer, const RunState& state, const api::SessionView& view = {}) {
    auto* found = std::get_if<AwaitRun>(&answer);
    EXPECT_TRUE(found) << "does not wait for a run";
    return found ? found->render(state, view) : HttpResponse::empty(596);
  }
  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& h : response.headers) {
      if (equals_ignoring_case(h.name, name)) return h.value;
    }
    return "(none)";
  }
  // Of an event of `run`, whole: "evt_…_0000000005".
  static std::string event_id(std::uint64_t sequence, const char* run = kRun) {
    std::string text;
    append_event_id(text, {*RunId::parse(run), {sequence}, std::nullopt});
    return text;
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
  api::Message message(std::string role, std::string content) const {
    api::Message m;
    m.id = MessageId{run_id.value};
    m.role = std::move(role);
    m.content = std::move(content);
    m.created_at = {1'771'102'980'000};
    m.run_id = run_id;
    return m;
  }
};

// For error tests: what a dialect tells about each code there is, by status.
inline constexpr ErrorCode kEveryErrorCode[] = {ErrorCode::kBadField,
                                                ErrorCode::kMalformed,
                                                ErrorCode::kTooLarge,
                                                ErrorCode::kHeadTooLarge,
                                                ErrorCode::kTooSlow,
                                                ErrorCode::kUnsupportedMedia,
                                                ErrorCode::kInvalidPath,
                                                ErrorCode::kUnauthorized,
                                                ErrorCode::kForbidden,
                                                ErrorCode::kMethodNotAllowed,
                                                ErrorCode::kUnknownRoute,
                                                ErrorCode::kSessionNotFound,
                                                ErrorCode::kRunNotFound,
                                                ErrorCode::kApprovalNotFound,
                                                ErrorCode::kFileNotFound,
                                                ErrorCode::kAgentNotFound,
                                                ErrorCode::kGone,
                                                ErrorCode::kActiveRunExists,
                                                ErrorCode::kIdempotencyConflict,
                                                ErrorCode::kInvalidState,
                                                ErrorCode::kAlreadyDecided,
                                                ErrorCode::kRateLimited,
                                                ErrorCode::kUnavailable,
                                                ErrorCode::kStorage,
                                                ErrorCode::kFenced,
                                                ErrorCode::kInternal,
                                                ErrorCode::kProvider,
                                                ErrorCode::kProviderTimeout,
                                                ErrorCode::kProviderRateLimited,
                                                ErrorCode::kUpstreamTruncated,
                                                ErrorCode::kToolsRefused,
                                                ErrorCode::kToolFailed,
                                                ErrorCode::kToolInvalidArguments,
                                                ErrorCode::kToolTimeout,
                                                ErrorCode::kCancelled,
                                                ErrorCode::kOutcomeUnknown,
                                                ErrorCode::kLimitExceeded};

}  // namespace braidlog::testing
