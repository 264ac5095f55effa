// What users and their passwords can be.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braidlog::auth {

inline constexpr std::size_t kUserNameBytesMax = 64;
inline constexpr std::size_t kPasswordBytesMax = 1024;

// The user of --dev: id, name and password. Never in a store.
inline constexpr std::string_view kDemo = "demo";

// kBadField with one line for people.
Status check_user_name(std::string_view name);
Status check_password(std::string_view password);

// Names are the same whatever their case. They are ASCII.
std::string lower_case(std::string_view name);

}  // namespace braidlog::auth
