#pragma once

#include <memory>
#include <utility>

namespace braidlog {

// A value with its memory on the heap: for the rare large one among small ones, whose place would be as large. Moved
// from it is empty, and nothing but an assignment may be done with it.
template <class T>
class Boxed {
 public:
  Boxed() : Boxed(T{}) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: it stands for the value
  Boxed(const Boxed& other) : Boxed(*other.value_) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  operator const T&() const { return *value_; }  // NOLINT: the same
  const T* operator->() const { return value_.get(); }
  const T& operator*() const { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace braidlog
