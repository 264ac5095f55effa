// What a client shows to be known: the cookie's token and the API key. Both are 32 random bytes, so a fast hash is
// enough to keep them: nobody can try them all. Who reads the database finds nothing that opens anything.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace braidlog::auth {

// 43 characters of base64url.
std::string make_token();
// "brk_" and a token.
std::string make_key();

// Whether `text` has the shape of one: what has not is not worth a look.
bool is_token(std::string_view text);
bool is_key(std::string_view text);

// BLAKE2b, 32 bytes.
struct SecretHash {
  std::array<std::uint8_t, 32> bytes{};
  bool operator==(const SecretHash&) const = default;
  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};
SecretHash hash_of(std::string_view secret);
// As text() gave it; of another length: a hash that nothing has.
SecretHash to_hash(std::string_view bytes);

}  // namespace braidlog::auth

// The table of credentials may be looked up in ordinary time: how far the hash of a guess agrees with a kept one tells
// nothing about the secret.
template <>
struct std::hash<braidlog::auth::SecretHash> {
  std::size_t operator()(const braidlog::auth::SecretHash& hash) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, hash.bytes.data(), sizeof value);
    return value;
  }
};
