// A move-only callable: std::function asks for copyable captures, and callbacks here own sockets, buffers and
// each other. Calling an empty one is a programming error.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace braidlog {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  UniqueFunction(std::nullptr_t) {}  // NOLINT: an empty callback reads well as nullptr

  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, UniqueFunction> && std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  UniqueFunction(F&& f)  // NOLINT: implicit on purpose, as with std::function
      : callable_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(f))) {}

  R operator()(Args... args) {
    BRAIDLOG_CHECK(callable_);
    return callable_->call(std::forward<Args>(args)...);
  }
  explicit operator bool() const { return callable_ != nullptr; }

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct Holder final : Callable {
    explicit Holder(F&& f) : function(std::move(f)) {}
    explicit Holder(const F& f) : function(f) {}
    R call(Args... args) override { return function(std::forward<Args>(args)...); }
    F function;
  };
  std::unique_ptr<Callable> callable_;
};

using Task = UniqueFunction<void()>;

}  // namespace braidlog
