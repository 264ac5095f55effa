// An agent without a world: tools and a model that do what a test tells them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "port/agent_catalog.h"
#include "port/testing/fake_sandbox.h"

namespace braidlog::testing {

// Keeps every invocation open until the test answers it, unless `answer` is set.
class FakeTool final : public Tool {
 public:
  explicit FakeTool(ToolSpec spec) : spec_(std::move(spec)) {}

  const ToolSpec& spec() const override { return spec_; }
  Status check(const json::value& args) const override {
    if (args.as_object().contains("bad")) return fail(ErrorCode::kToolInvalidArguments, "bad: not allowed");
    return {};
  }
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override {
    ++starts;
    started.push_back(invocation.call_id);
    auto alive = std::make_shared<bool>(true);
    open[invocation.call_id] = {alive, &loop, std::move(done)};
    if (answers_at_once) finish(invocation.call_id, ToolOutcome::ok("ok"));
    return std::make_unique<Handle>(alive);
  }

  void finish(ToolCallId id, ToolOutcome outcome) {
    auto call = open.extract(id);
    auto [alive, loop, done] = std::move(call.mapped());
    loop->post([alive = std::move(alive), done = std::move(done), outcome = std::move(outcome)]() mutable {
      if (*alive) done(std::move(outcome));
    });
  }

  bool answers_at_once = false;
  int starts = 0;
  std::vector<ToolCallId> started;
  struct Open {
    std::shared_ptr<bool> alive;
    Loop* loop = nullptr;
    UniqueFunction<void(ToolOutcome)> done;
  };
  std::map<ToolCallId, Open> open;

 private:
  struct Handle final : ToolRun {
    explicit Handle(std::shared_ptr<bool> a) : alive(std::move(a)) {}
    ~Handle() override { *alive = false; }
    std::shared_ptr<bool> alive;
  };
  ToolSpec spec_;
};

// Hands its sink to the test, call by call.
class FakeModel final : public Model {
 public:
  std::string_view provider() const override { return "fake"; }
  std::string_view name() const override { return "fake-1"; }
  std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop&) override {
    ++calls;
    requests.push_back(std::move(request));
    current = &sink;
    return std::make_unique<Handle>(*this);
  }

  int calls = 0;
  std::vector<ModelRequest> requests;
  ModelSink* current = nullptr;  // null once the call was cancelled

 private:
  struct Handle final : ModelCall {
    explicit Handle(FakeModel& m) : model(m), number(m.calls) {}
    ~Handle() override {
      if (model.calls == number) model.current = nullptr;
    }
    FakeModel& model;
    int number;
  };
};

struct FakeAgent {
  std::shared_ptr<FakeModel> model = std::make_shared<FakeModel>();
  std::shared_ptr<FakeTool> reads = std::make_shared<FakeTool>(ToolSpec{"look", "", "{}", false, false, {}});
  std::shared_ptr<FakeTool> writes = std::make_shared<FakeTool>(ToolSpec{"change", "", "{}", true, false, {}});
  std::shared_ptr<FakeSandbox> sandbox = std::make_shared<FakeSandbox>();
  api::Agent agent;

  FakeAgent() {
    agent.name = "fake";
    agent.tools = {"look", "change"};
  }
  std::shared_ptr<const RunnableAgent> make() const {
    auto runnable = std::make_shared<RunnableAgent>();
    runnable->agent = agent;
    runnable->model = model;
    runnable->tools = {reads, writes};
    if (agent.style == api::Style::kCode) runnable->sandbox = sandbox;
    return runnable;
  }
};

}  // namespace braidlog::testing
