// A sandbox in which chance plays the code: it prints, calls functions, has a value, an error or the final answer; its
// process dies before, in the middle of or while it waits for a tool, and some code goes on until its time is up.
#pragma once

#include <memory>
#include <vector>

#include "checker.h"
#include "port/sandbox.h"

namespace braidlog::sim {

class SimSandbox final : public Sandbox {
 public:
  SimSandbox(World& world, Checker& checker) : world_(world), checker_(checker) {}
  std::unique_ptr<CodeSession> open(std::vector<CodeFunction> functions, CodeSink& sink, Loop& loop) override;

 private:
  World& world_;
  Checker& checker_;
};

}  // namespace braidlog::sim
