// Calls a tool the way a run does: check, start, and turn the loop until it is done.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "base/testing/fake_loop.h"
#include "port/tool.h"

namespace braidlog::tool::testing {

class ToolCaller {
 public:
  ToolOutcome call(Tool& tool, std::string_view args) {
    auto run = start(tool, args);
    EXPECT_FALSE(outcome_) << "done came from inside start()";
    loop_.run_ready();
    EXPECT_TRUE(outcome_);
    return outcome_.value_or(ToolOutcome::error(ToolStatus::kToolError, "never done"));
  }

  std::unique_ptr<ToolRun> start(Tool& tool, std::string_view args) {
    outcome_.reset();
    ToolInvocation invocation;
    invocation.session_id = SessionId{{{1}}};
    invocation.args = parse_json(args).value();
    EXPECT_TRUE(tool.check(invocation.args)) << tool.check(invocation.args).error().message;
    return tool.start(std::move(invocation), loop_, [this](ToolOutcome outcome) {
      EXPECT_FALSE(outcome_) << "done came twice";
      outcome_ = std::move(outcome);
    });
  }

  ::braidlog::testing::FakeLoop& loop() { return loop_; }
  const std::optional<ToolOutcome>& outcome() const { return outcome_; }

 private:
  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  std::optional<ToolOutcome> outcome_;
};

}  // namespace braidlog::tool::testing
