#pragma once

#include <cerrno>

namespace braidlog {

// Whether a call on a socket that does not wait failed with `error` only because it would have had to, or was
// disturbed.
inline bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace braidlog
