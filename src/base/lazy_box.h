#pragma once

#include <memory>
#include <utility>

namespace braidlog {

// A value with its memory on the heap, and without any while it is T{}: for what is large, rare, and stands in
// something small or among small ones. Reading is the same either way.
template <class T>
class LazyBox {
 public:
  LazyBox() = default;
  LazyBox(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: it stands for the value
  LazyBox(const LazyBox& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  LazyBox(LazyBox&&) noexcept = default;  // moved from it is T{}
  LazyBox& operator=(LazyBox other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  operator const T&() const { return **this; }  // NOLINT: the same
  const T& operator*() const { return value_ ? *value_ : untouched(); }
  const T* operator->() const { return &**this; }

  // To write to it: gives it its memory.
  T& touch() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  // False: it is T{}.
  bool is_touched() const { return value_ != nullptr; }

 private:
  static const T& untouched() {
    static const T value{};
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace braidlog
