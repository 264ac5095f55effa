#include "auth/password.h"

#include <sodium.h>

#include <array>
#include <cerrno>

#include "base/check.h"

namespace braidlog::auth {

namespace {

auto no_memory() {
  return fail(ErrorCode::kUnavailable, "There is not enough memory to check a password");
}

}  // namespace

Result<std::string> hash_password(std::string_view password) {
  BRAIDLOG_CHECK(sodium_init() >= 0);
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (crypto_pwhash_str(hash.data(), password.data(), password.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    return no_memory();
  }
  return std::string(hash.data());
}

Result<bool> password_fits(const std::string& hash, std::string_view password) {
  BRAIDLOG_CHECK(sodium_init() >= 0);
  errno = 0;
  if (crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0) return true;
  if (errno == ENOMEM) return no_memory();
  return false;
}

}  // namespace braidlog::auth
