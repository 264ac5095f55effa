#include "world_tool.h"

#include <algorithm>

#include "sim_sandbox.h"

namespace braidlog::sim {

namespace {

using std::chrono::milliseconds;

class WorldToolRun final : public ToolRun {
 public:
  WorldToolRun(World& world, Checker& checker, const ToolSpec& spec, const ToolInvocation& invocation, Loop& loop,
               UniqueFunction<void(ToolOutcome)> done)
      : world_(world),
        checker_(checker),
        spec_(spec),
        run_id_(invocation.run_id),
        session_id_(invocation.session_id),
        call_id_(invocation.call_id),
        loop_(loop),
        done_(std::move(done)) {
    ++world_.live_tool_runs;
    hangs_ = world_.random.percent(world_.profile.tool_hangs);
    fails_ = world_.random.percent(world_.profile.tool_fails);
    too_late_ = !fails_ && world_.random.percent(30);
    if (fails_ && world_.random.percent(50)) {
      answer_later();  // it fails before it touches anything
      return;
    }
    timer_ = loop_.after(pause(), [this] {
      change_world();
      answer_later();
    });
  }
  // What was under way may still come to pass: a request that has left is not called back.
  ~WorldToolRun() override {
    --world_.live_tool_runs;
    if (!changed_ && too_late_) change_world();
  }

 private:
  milliseconds pause() { return milliseconds(world_.random.between(0, 80)); }

  void change_world() {
    changed_ = true;
    world_.trace.say("tool", spec_.name, " for ", call_id_, " of ", run_id_, " has its effect");
    checker_.on_effect(run_id_, call_id_, spec_);
  }
  void answer_later() {
    if (hangs_) return;
    timer_ = loop_.after(pause(), [this] {
      auto done = std::move(done_);
      done(fails_ ? ToolOutcome::error(ToolStatus::kToolError, "it did not work") : success());
    });
  }
  ToolOutcome success() {
    ToolOutcome outcome = ToolOutcome::ok("done");
    if (spec_.name == kMakingTool) outcome.changes.push_back(change());
    return outcome;
  }
  // Of what the session has by now.
  SessionChange change() {
    auto& random = world_.random;
    const std::string text = "made by " + to_prefixed(call_id_);
    if (random.percent(50)) return ArtifactMade{text, random.percent(50) ? "note" : "odd", "# " + text};
    const auto session = world_.tables.sessions.find(session_id_);
    const bool has_some = session != world_.tables.sessions.end() && !session->second.items.data_items.empty();
    const DataItemId own{call_id_.value};
    if (!has_some || random.percent(50)) return DataItemChanged{own, DataOperation::kCreate, "kind", "{\"n\":1}"};
    const DataItemId known = random.pick(session->second.items.data_items).id;
    if (random.percent(30)) return DataItemChanged{known, DataOperation::kDelete, "kind", ""};
    return DataItemChanged{known, DataOperation::kUpdate, "kind", "{\"by\":\"" + to_prefixed(call_id_) + "\"}"};
  }

  World& world_;
  Checker& checker_;
  const ToolSpec& spec_;
  RunId run_id_;
  SessionId session_id_;
  ToolCallId call_id_;
  Loop& loop_;
  UniqueFunction<void(ToolOutcome)> done_;
  Timer timer_;
  bool hangs_ = false, fails_ = false, changed_ = false;
  bool too_late_ = false;  // to be stopped. Drawn at the start: a crash ends calls in no order that a seed knows
};

}  // namespace

Status WorldTool::check(const json::value& args) const {
  const auto& fields = args.get_object();
  if (const auto* n = fields.if_contains("n"); n && n->is_int64()) {
    checker_.on_tool_checked(static_cast<std::uint64_t>(n->get_int64()));
  }
  if (fields.contains("bad")) return fail(ErrorCode::kToolInvalidArguments, "bad: not allowed");
  return {};
}

std::unique_ptr<ToolRun> WorldTool::start(ToolInvocation invocation, Loop& loop,
                                          UniqueFunction<void(ToolOutcome)> done) {
  world_.trace.say("tool", spec_.name, " starts for ", invocation.call_id, " of ", invocation.run_id);
  checker_.on_tool_started(invocation.run_id, invocation.call_id, spec_);
  return std::make_unique<WorldToolRun>(world_, checker_, spec_, invocation, loop, std::move(done));
}

SimCatalog::SimCatalog(World& world, Checker& checker, bool after_restart) {
  const bool thinned = after_restart && world.profile.agents_change;
  const auto model = std::make_shared<ScriptModel>(world);
  const auto sandbox = std::make_shared<SimSandbox>(world, checker);
  std::vector<std::shared_ptr<Tool>> tools;
  for (auto& spec : tool_specs()) {
    if (thinned && spec.name == kPassingTool) continue;
    tools.push_back(std::make_shared<WorldTool>(world, checker, spec));
  }
  for (auto& agent : cast()) {
    if (thinned && agent.name == kPassingAgent) continue;
    auto runnable = std::make_shared<RunnableAgent>();
    runnable->agent = agent;
    runnable->model = model;
    runnable->tools = tools;
    if (agent.style == api::Style::kCode) runnable->sandbox = sandbox;
    agents_.push_back(std::move(runnable));
  }
}

std::shared_ptr<const RunnableAgent> SimCatalog::find(std::string_view name) const {
  const auto at = std::ranges::find_if(agents_, [&](const auto& agent) { return agent->agent.name == name; });
  return at == agents_.end() ? nullptr : *at;
}

}  // namespace braidlog::sim
