// Passwords: argon2id with libsodium's interactive limits (64 MiB and two passes, some 50 ms). Blocks: for the worker
// pool and the commands.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braidlog::auth {

// kUnavailable when there is not enough memory.
Result<std::string> hash_password(std::string_view password);
Result<bool> password_fits(const std::string& hash, std::string_view password);

// The hash of a password that nobody knows: checked where there is no user, so that an unknown name takes as long as a
// known one.
inline constexpr const char* kNobodysPassword =
    "$argon2id$v=19$m=65536,t=2,p=1$GemPyN94mkRveBQz34usQg$oEZGkH7bnG44pxRigp06uML2RZJNTwBiMHdVHhIO4vQ";

}  // namespace braidlog::auth
