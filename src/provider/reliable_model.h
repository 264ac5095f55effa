// One model made of one or several: the first of a chain is asked, again where that may help, then the next one, until
// one begins to answer. From its first token on an answer is that model's, and a failure is the answer's end: text that
// a client has seen is not said a second time in other words.
//
// A try has two limits: on the time until its first token (text, reasoning or a tool call; a comment or a ping is
// none), and from there on, on silence (any byte breaks it). Each retry and each change of model is a line in the log.
// kToolsRefused is told at once: whoever asked knows what to do.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "provider/attempt.h"

namespace braidlog::provider {

// From 0 to 1, anew with each call.
using Jitter = std::function<double()>;
double random_jitter();

class ReliableModel final : public Model {
 public:
  struct Setup {
    std::vector<std::shared_ptr<Endpoint>> chain;  // at least one
    std::chrono::milliseconds first_token_timeout{};
    std::chrono::milliseconds idle_timeout{};
    std::size_t retries_max = 0;  // of each model
    std::size_t context_tokens = 0;
    Jitter jitter = random_jitter;
  };
  explicit ReliableModel(Setup setup);

  // Those of the first.
  std::string_view provider() const override { return setup_->chain.front()->provider(); }
  std::string_view name() const override { return setup_->chain.front()->name(); }
  std::size_t context_tokens() const override { return setup_->context_tokens; }
  std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop& loop) override;

 private:
  std::shared_ptr<const Setup> setup_;  // of this and of its calls
};

}  // namespace braidlog::provider
