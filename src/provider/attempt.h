// One try at one model. What stands here is between the providers and ReliableModel, which makes of several tries and
// several models the one answer that a run sees.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "port/model.h"

namespace braidlog::provider {

struct AttemptFailure {
  Error error;
  bool may_retry = false;  // the same question may be answered a little later
  // How much later, where the server says so.
  std::optional<std::chrono::milliseconds> retry_after{};
};
using Attempted = tl::expected<void, AttemptFailure>;

// Takes what one try brings. on_attempt_failed() stands for on_failed().
class AttemptSink : public ModelSink {
 public:
  // The server is there: bytes of any kind came, comments and pings too.
  virtual void on_sign_of_life() = 0;
  virtual void on_attempt_failed(AttemptFailure failure) = 0;
  void on_failed(Error error) final { on_attempt_failed({std::move(error)}); }
};

// A model at one place. Immutable, shared by the calls of all loops.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual std::string_view provider() const = 0;
  virtual std::string_view name() const = 0;
  // A model without a server: it gives no signs of life but its words, and asked again it would say the same.
  virtual bool is_local() const { return false; }
  // As Model::start(); `request` is read before this returns.
  [[nodiscard]] virtual std::unique_ptr<ModelCall> ask(const ModelRequest& request, AttemptSink& sink, Loop& loop) = 0;
};

}  // namespace braidlog::provider
