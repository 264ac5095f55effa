// A model that says what chance tells it: words of the story in pieces, reasoning, tool calls good and bad; it fails,
// falls silent, is cut, and repeats its last words when it is told to go on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "port/model.h"
#include "world.h"

namespace braidlog::sim {

class ScriptModel final : public Model {
 public:
  explicit ScriptModel(World& world) : world_(world) {}

  std::string_view provider() const override { return "sim"; }
  std::string_view name() const override { return "sim-1"; }
  std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop& loop) override;

 private:
  void check_prompt(const ModelRequest& request);
  void check_past(const ModelRequest& request);

  World& world_;
};

}  // namespace braidlog::sim
