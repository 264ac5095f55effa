#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class RunsApprovals : public RunsFixture {
 protected:
  const std::string list = "/api/v1/sessions/" + std::string(kSession) + "/approvals";
  const std::string approve = list + "/" + kApproval + "/approve";
  const std::string reject = list + "/" + kApproval + "/reject";
  const api::Decide& command() const { return service.asked<api::Decide>().back(); }

  api::Approval approval() const {
    api::Approval a;
    a.id = approval_id;
    a.run_id = run_id;
    a.session_id = session_id;
    a.tool_name = "file_write";
    a.args_json = R"({"path":"a.md"})";
    a.created_at = {1'771'102'980'000};
    return a;
  }
};

TEST_F(RunsApprovals, ListOfASession) {
  service.reply<api::ListApprovals>(api::ApprovalList{approval()});
  const auto response = get(list);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"items":[{"approval_id":"appr_01KHF0000070008000000000A1","run_id":"run_01KHF0000070008000000000R1",)"
            R"("tool_name":"file_write","args":{"path":"a.md"},"created_at":"2026-02-14T21:03:00.000Z",)"
            R"("status":"pending"}]})");
  EXPECT_EQ(service.asked<api::ListApprovals>().at(0).session_id, session_id);
}

TEST_F(RunsApprovals, ListOverAllSessionsNamesTheSession) {
  service.reply<api::ListApprovals>(api::ApprovalList{approval()});
  EXPECT_TRUE(get("/api/v1/approvals")
                  .body.ends_with(R"("status":"pending","session_id":"sess_01KHF0000070008000000000S1"}]})"));
  EXPECT_EQ(service.asked<api::ListApprovals>().at(0).session_id, std::nullopt);
  EXPECT_FALSE(service.asked<api::ListApprovals>().at(0).everybody);
  get("/api/v1/approvals?scope=all");
  EXPECT_TRUE(service.asked<api::ListApprovals>().at(1).everybody);
  EXPECT_EQ(error_of(get("/api/v1/approvals?scope=mine")), "400 BAD_REQUEST");
}

TEST_F(RunsApprovals, ACallWithoutArgumentsHasAnEmptyObject) {
  auto bare = approval();
  bare.args_json.clear();
  service.reply<api::ListApprovals>(api::ApprovalList{bare});
  EXPECT_NE(get(list).body.find("\"args\":{},"), std::string::npos);
}

TEST_F(RunsApprovals, Approve) {
  service.reply<api::Decide>(api::Decided{approval_id, run_id, Verdict::kApproved});
  for (const char* body : {"", "{}", R"({"apply_to_future":false})", R"({"apply_to_future":null,"reason":1})"}) {
    const auto response = post(approve, body);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, R"({"approval_id":"appr_01KHF0000070008000000000A1",)"
                             R"("run_id":"run_01KHF0000070008000000000R1","status":"approved"})");
    EXPECT_EQ(command().session_id, session_id);
    EXPECT_EQ(command().approval_id, approval_id);
    EXPECT_EQ(command().verdict, Verdict::kApproved);
    EXPECT_FALSE(command().apply_to_future);
  }
  post(approve, R"({"apply_to_future":true})");
  EXPECT_TRUE(command().apply_to_future);
}

TEST_F(RunsApprovals, Reject) {
  service.reply<api::Decide>(api::Decided{approval_id, run_id, Verdict::kRejected});
  for (const char* body : {"", "{}", R"({"reason":null})", R"({"reason":""})", R"({"reason":"  "})"}) {
    const auto response = post(reject, body);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, R"({"approval_id":"appr_01KHF0000070008000000000A1",)"
                             R"("run_id":"run_01KHF0000070008000000000R1","status":"rejected"})");
    EXPECT_EQ(command().verdict, Verdict::kRejected);
    EXPECT_EQ(command().reason, "user_rejected");
  }
  post(reject, R"({"reason":"Not this file"})");
  EXPECT_EQ(command().reason, "Not this file");
}

TEST_F(RunsApprovals, RefusesWrongBodiesBeforeLookingForTheObject) {
  limits.message_bytes_max = 8;
  const std::string unknown = "/api/v1/sessions/nope/approvals/nope";
  for (const char* body : {"[]", "null", "nope", R"({"apply_to_future":1})", R"({"apply_to_future":"true"})"}) {
    EXPECT_EQ(error_of(post(unknown + "/approve", body)), "400 BAD_REQUEST") << body;
  }
  for (const char* body : {"[]", R"({"reason":1})", R"({"reason":"123456789"})", R"({"reason":"a\u0000"})"}) {
    EXPECT_EQ(error_of(post(unknown + "/reject", body)), "400 BAD_REQUEST") << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsApprovals, MalformedIdsAreNotFound) {
  EXPECT_EQ(error_of(get("/api/v1/sessions/nope/approvals")), "404 SESSION_NOT_FOUND");
  for (const char* verb : {"/approve", "/reject"}) {
    EXPECT_EQ(error_of(post("/api/v1/sessions/nope/approvals/" + std::string(kApproval) + verb)),
              "404 SESSION_NOT_FOUND");
    EXPECT_EQ(error_of(post(list + "/nope" + verb)), "404 APPROVAL_NOT_FOUND");
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsApprovals, WhatTheServiceRefuses) {
  const std::pair<ErrorCode, const char*> cases[] = {{ErrorCode::kSessionNotFound, "404 SESSION_NOT_FOUND"},
                                                     {ErrorCode::kApprovalNotFound, "404 APPROVAL_NOT_FOUND"},
                                                     {ErrorCode::kInvalidState, "409 INVALID_STATE"},
                                                     {ErrorCode::kAlreadyDecided, "409 APPROVAL_ALREADY_PROCESSED"}};
  for (const auto& [code, expected] : cases) {
    service.reply<api::Decide>(fail(code, "told"));
    EXPECT_EQ(error_of(post(approve)), expected);
    EXPECT_EQ(error_of(post(reject)), expected);
  }
  service.reply<api::ListApprovals>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(get(list)), "404 SESSION_NOT_FOUND");
}

}  // namespace
}  // namespace braidlog::runs
