#include "sim_sandbox.h"

#include <algorithm>
#include <string>
#include <utility>

#include "own_arguments.h"

namespace braidlog::sim {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeLimit{30'000};

class SimCodeSession final : public CodeSession {
 public:
  SimCodeSession(World& world, Checker& checker, std::vector<CodeFunction> functions, CodeSink& sink, Loop& loop)
      : world_(world), checker_(checker), functions_(std::move(functions)), sink_(sink), loop_(loop) {
    ++world_.live_sandboxes;
  }
  ~SimCodeSession() override { --world_.live_sandboxes; }

  void run(std::string code) override {
    world_.trace.say("code", "runs: ", code);
    if (std::exchange(running_, true)) return world_.violate("code was begun while other code ran: ", code);
    checker_.on_code_run(code);
    calls_left_ = static_cast<unsigned>(world_.random.between(0, 3));
    go_on();
  }
  void answer(CodeAnswer answer) override {
    world_.trace.say("code", "is answered ", answer.error ? *answer.error : to_json(answer.value));
    if (!running_ || !std::exchange(calling_, false)) return world_.violate("code was answered that asked nothing");
    checker_.on_code_answered(token_, answer);
    go_on();
  }

 private:
  void go_on() {
    const bool hangs = world_.random.percent(world_.profile.code_hangs);
    const bool dies = world_.random.percent(world_.profile.code_dies);
    timer_ = loop_.after(hangs ? kTimeLimit : pause(), [this, hangs, dies] {
      if (hangs) return end_badly("time limit of 30 s", world_.random.percent(70));
      if (dies) return end_badly("the process is gone", true);
      calls_left_ > 0 ? call() : end();
    });
  }
  milliseconds pause() { return milliseconds(world_.random.between(0, 60)); }

  void call() {
    auto& random = world_.random;
    --calls_left_;
    const bool may_list = std::ranges::count(functions_, kSetTasks, &CodeFunction::name) > 0;
    const std::string name = may_list && random.percent(world_.profile.busy ? 50 : 15) ? std::string(kSetTasks)
                                                                                       : random.pick(functions_).name;
    token_ = ++world_.last_token;
    json::object args = is_engine_tool(name) ? own_arguments(world_, name) : json::object{};
    if (!is_engine_tool(name) && random.percent(5)) args["bad"] = 1;
    args["n"] = static_cast<std::int64_t>(token_);
    calling_ = true;
    world_.trace.say("code", "calls ", name, " ", to_json(args));
    if (random.percent(world_.profile.code_dies)) {
      timer_ = loop_.after(milliseconds(random.between(0, 300)), [this] { end_badly("the process is gone", true); });
    }
    sink_.on_code_call(name, std::move(args));
  }

  void end() {
    auto& random = world_.random;
    CodeOutcome outcome;
    if (random.percent(60)) outcome.printed = "printed\n";
    const auto dice = random.below(10);
    if (dice < 4) outcome.value = "'value'";
    if (dice == 4 || dice == 5) outcome.error = "ValueError: line 1";
    if (dice >= 8) outcome.final = any_answer(world_);
    finish(std::move(outcome));
  }
  void end_badly(const char* error, bool lost) {
    CodeOutcome outcome;
    outcome.error = error;
    outcome.lost = lost;
    finish(std::move(outcome));
  }
  void finish(CodeOutcome outcome) {
    world_.trace.say("code", "ends: ", outcome.error.value_or(outcome.final ? "with an answer" : "well"));
    running_ = calling_ = false;
    sink_.on_code_done(std::move(outcome));
  }

  World& world_;
  Checker& checker_;
  std::vector<CodeFunction> functions_;
  CodeSink& sink_;
  Loop& loop_;
  Timer timer_;
  bool running_ = false, calling_ = false;
  unsigned calls_left_ = 0;
  std::uint64_t token_ = 0;  // of the last call
};

}  // namespace

std::unique_ptr<CodeSession> SimSandbox::open(std::vector<CodeFunction> functions, CodeSink& sink, Loop& loop) {
  return std::make_unique<SimCodeSession>(world_, checker_, std::move(functions), sink, loop);
}

}  // namespace braidlog::sim
