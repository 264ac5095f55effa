// For code that goes through the fields of any event, whatever they are.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "event/run_event.h"

namespace braidlog {

// ---- kinds of fields ----

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsId = false;
template <class T>
inline constexpr bool kIsId<Id<T>> = true;

// ---- making an event by its number ----

// Makes the i-th alternative of the body anew and lets `read` fill it; false when there is no such alternative. One
// that is there already is emptied, not destroyed: mostly one token follows another.
template <class T, class Read>
void fill_body(RunEventBody& body, Read& read) {
  if (T* there = std::get_if<T>(&body)) {
    read(*there = T());
  } else {
    read(body.emplace<T>());
  }
}
template <class Read, std::size_t... I>
bool fill_alternative(std::size_t index, RunEventBody& body, Read& read, std::index_sequence<I...>) {
  return ((index == I ? (fill_body<std::variant_alternative_t<I, RunEventBody>>(body, read), true) : false) || ...);
}
template <class Read>
bool fill_alternative(std::size_t index, RunEventBody& body, Read read) {
  return fill_alternative(index, body, read, std::make_index_sequence<std::variant_size_v<RunEventBody>>());
}

}  // namespace braidlog
