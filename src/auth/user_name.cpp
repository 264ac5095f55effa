#include "auth/user_name.h"

#include <algorithm>

#include "base/utf8.h"

namespace braidlog::auth {

Status check_user_name(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '@';
  };
  if (name.empty() || name.size() > kUserNameBytesMax || !std::ranges::all_of(name, is_good)) {
    return fail(ErrorCode::kBadField,
                "a user name has 1 to " + std::to_string(kUserNameBytesMax) + " letters, digits, '.', '_', '-' or '@'");
  }
  if (lower_case(name) == kDemo) return fail(ErrorCode::kBadField, "the name demo is kept for serve --dev");
  return {};
}

Status check_password(std::string_view password) {
  if (password.empty()) return fail(ErrorCode::kBadField, "the password is empty");
  if (password.size() > kPasswordBytesMax) {
    return fail(ErrorCode::kBadField, "the password has more than " + std::to_string(kPasswordBytesMax) + " bytes");
  }
  if (!is_valid_utf8(password) || password.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::kBadField, "the password is not valid text");
  }
  return {};
}

std::string lower_case(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace braidlog::auth
