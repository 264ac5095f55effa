// Part of run_store_contract.h: approvals and orders.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

TEST_P(RunStoreContract, OpenedApprovalIsPendingUntilClosed) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto pending = reader_->approvals(run.session_id);
    ASSERT_EQ(pending->size(), 1u);
    EXPECT_EQ(pending->front().id, approval.id);
    EXPECT_EQ(pending->front().run_id, run.id);
    EXPECT_EQ(pending->front().session_id, run.session_id);
    EXPECT_EQ(pending->front().tool_name, "file_write");
    EXPECT_EQ(pending->front().args_json, approval.args_json);
    EXPECT_EQ(pending->front().created_at, approval.created_at);
    EXPECT_EQ(reader_->session(run.session_id)->pending_approvals, 1u);
    EXPECT_EQ(reader_->run(run.id)->status, RunStatus::kWaitingApproval);
  }
  Append write = an_append(run);
  write.effects.touch().approvals_closed = {{approval.id, Verdict::kRejected}};
  append(run, write);
  EXPECT_TRUE(reader_->approvals(run.session_id)->empty());
  EXPECT_EQ(reader_->session(run.session_id)->pending_approvals, 0u);
  EXPECT_EQ(reader_->approval(approval.id)->id, approval.id);
  expect_error(commit_one(a_decision(approval)), ErrorCode::kAlreadyDecided);
}

TEST_P(RunStoreContract, ApprovalsOfAUserSpanSessionsOldestFirst) {
  LiveRunView first = begin_run(begin_session());
  LiveRunView second = begin_run(begin_session());
  LiveRunView foreign = begin_run(begin_session("bob"));
  std::vector<ApprovalId> expected;
  expected.push_back(open_approval(second).id);
  open_approval(foreign);
  expected.push_back(open_approval(first).id);
  expected.push_back(open_approval(second).id);
  std::vector<ApprovalId> seen;
  const auto pending = reader_->approvals_of_user("ann");
  for (const auto& approval : *pending) seen.push_back(approval.id);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(reader_->approvals(second.session_id)->size(), 2u);
  EXPECT_EQ(reader_->approvals_of_user("bob")->size(), 1u);
}

TEST_P(RunStoreContract, APlacedDecisionConsumesTheApprovalAtOnce) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  const auto placed = commit_one(a_decision(approval));
  ASSERT_TRUE(placed);
  EXPECT_GT(placed->order_id, 0u);
  EXPECT_EQ(reader_->session(run.session_id)->pending_approvals, 0u);
  EXPECT_TRUE(reader_->approvals(run.session_id)->empty());
  EXPECT_TRUE(reader_->approvals_of_user("ann")->empty());
  EXPECT_TRUE(reader_->approval(approval.id));
  for (int i = 0; i < 2; ++i, reopen()) {
    expect_error(commit_one(a_decision(approval)), ErrorCode::kAlreadyDecided);
    expect_error(commit_one(a_decision(approval, Verdict::kRejected)), ErrorCode::kAlreadyDecided);
  }
}

TEST_P(RunStoreContract, OfTwoDecisionsInOneCommitTheFirstWins) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  const auto outcomes = commit({a_decision(approval, Verdict::kRejected), a_decision(approval)});
  expect_ok(outcomes[0]);
  expect_error(outcomes[1], ErrorCode::kAlreadyDecided);
  const auto claimed = store_->claim_runs("server-2");
  ASSERT_EQ(claimed->front().orders.size(), 1u);
  EXPECT_EQ(claimed->front().orders.front().verdict, Verdict::kRejected);
}

TEST_P(RunStoreContract, ADecisionNamesAnApprovalOfItsRun) {
  LiveRunView run = begin_run(begin_session());
  LiveRunView other = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  api::Approval unknown = approval;
  unknown.id = id<ApprovalId>();
  expect_error(commit_one(a_decision(unknown)), ErrorCode::kApprovalNotFound);
  api::Approval foreign = approval;
  foreign.run_id = other.id;
  expect_error(commit_one(a_decision(foreign)), ErrorCode::kApprovalNotFound);
  EXPECT_EQ(reader_->session(run.session_id)->pending_approvals, 1u);
  expect_ok(commit_one(a_decision(approval)));
}

TEST_P(RunStoreContract, TheEndOfTheRunIsLookedAtBeforeTheApproval) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  end_run(run);
  expect_error(commit_one(a_decision(approval)), ErrorCode::kInvalidState);
  api::Approval unknown = approval;
  unknown.id = id<ApprovalId>();
  expect_error(commit_one(a_decision(unknown)), ErrorCode::kInvalidState);
}

TEST_P(RunStoreContract, AFinishedRunLeavesNothingPending) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  end_run(run);
  EXPECT_EQ(reader_->session(run.session_id)->pending_approvals, 0u);
  EXPECT_TRUE(reader_->approvals_of_user("ann")->empty());
  EXPECT_TRUE(reader_->approval(approval.id));
}

TEST_P(RunStoreContract, OrdersGetIncreasingIdsAndStayUntilDone) {
  LiveRunView run = begin_run(begin_session());
  const api::Approval approval = open_approval(run);
  const auto decision = commit_one(a_decision(approval));
  const auto first = commit_one(an_interrupt(run.id));
  const auto second = commit_one(an_interrupt(run.id));
  EXPECT_LT(decision->order_id, first->order_id);
  EXPECT_LT(first->order_id, second->order_id);
  reopen();

  auto claimed = store_->claim_runs("server-2");
  ASSERT_EQ(claimed->size(), 1u);
  const auto& orders = claimed->front().orders;
  ASSERT_EQ(orders.size(), 3u);
  EXPECT_EQ(orders[0].id, decision->order_id);
  EXPECT_EQ(orders[0].kind, RunOrder::Kind::kDecide);
  EXPECT_EQ(orders[0].user_id, "ann");
  EXPECT_EQ(orders[0].reason, "fine");
  EXPECT_EQ(orders[0].approval_id, approval.id);
  EXPECT_EQ(orders[0].verdict, Verdict::kApproved);
  EXPECT_TRUE(orders[0].apply_to_future);
  EXPECT_EQ(orders[1].kind, RunOrder::Kind::kInterrupt);
  EXPECT_EQ(orders[1].reason, "user");
  EXPECT_EQ(orders[2].id, second->order_id);

  run.epoch = claimed->front().epoch;
  Append write = an_append(run);
  write.effects.touch().approvals_closed = {{approval.id, Verdict::kApproved}};
  write.effects.touch().orders_done = {decision->order_id, first->order_id};
  append(run, write);
  claimed = store_->claim_runs("server-3");
  ASSERT_EQ(claimed->front().orders.size(), 1u);
  EXPECT_EQ(claimed->front().orders.front().id, second->order_id);
}

TEST_P(RunStoreContract, OrderIdsAreNotUsedAgain) {
  LiveRunView run = begin_run(begin_session());
  const auto first = commit_one(an_interrupt(run.id));
  end_run(run);
  reopen();
  LiveRunView next = begin_run(begin_session());
  EXPECT_GT(commit_one(an_interrupt(next.id))->order_id, first->order_id);
}

TEST_P(RunStoreContract, AnOrderOfAnotherRunIsNotDoneBySaying) {
  LiveRunView run = begin_run(begin_session());
  LiveRunView other = begin_run(begin_session());
  const auto order = commit_one(an_interrupt(run.id));
  Append write = an_append(other);
  write.effects.touch().orders_done = {order->order_id};
  append(other, write);
  EXPECT_EQ(store_->claim_runs("server-2")->front().orders.size(), 1u);
}

}  // namespace braidlog::testing
