#include "auth/secret.h"

#include <sodium.h>

#include <algorithm>

#include "base/check.h"

namespace braidlog::auth {

namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kTokenChars = 43;
constexpr std::string_view kKeyPrefix = "brk_";

}  // namespace

std::string make_token() {
  BRAIDLOG_CHECK(sodium_init() >= 0);  // as often as one likes; without randomness there is no server
  std::array<unsigned char, kSecretBytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, kTokenChars + 1> text{};
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  return {text.data(), kTokenChars};
}

std::string make_key() {
  return std::string(kKeyPrefix) + make_token();
}

bool is_token(std::string_view text) {
  const auto is_base64url = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return text.size() == kTokenChars && std::ranges::all_of(text, is_base64url);
}

bool is_key(std::string_view text) {
  return text.starts_with(kKeyPrefix) && is_token(text.substr(kKeyPrefix.size()));
}

SecretHash hash_of(std::string_view secret) {
  SecretHash hash;
  crypto_generichash(hash.bytes.data(), hash.bytes.size(), reinterpret_cast<const unsigned char*>(secret.data()),
                     secret.size(), nullptr, 0);
  return hash;
}

SecretHash to_hash(std::string_view bytes) {
  SecretHash hash;
  if (bytes.size() == hash.bytes.size()) std::ranges::copy(bytes, hash.bytes.begin());
  return hash;
}

}  // namespace braidlog::auth
