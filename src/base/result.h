// Result<T>: a value, or the Error that stood in its way.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace braidlog {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// `return fail(ErrorCode::kBadField, "message is required");`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string subject = {}) {
  return tl::make_unexpected(Error{code, std::move(message), std::move(subject)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::make_unexpected(std::move(error));
}

}  // namespace braidlog
