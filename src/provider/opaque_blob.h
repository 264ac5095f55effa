// What a provider wants to get back with its own words and nobody else understands: signatures, encrypted thoughts.
// The log keeps each as one text:
//
//   {"provider":"openai","server":"https://…","kind":"reasoning","data":{…}}
//
// A blob goes back to the provider and the server that it came from, and to no other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace braidlog::provider {

// More than this of one answer is not kept.
inline constexpr std::size_t kOpaqueBytesMax = 1024 * 1024;

struct BlobOwner {
  std::string provider;
  std::string server;  // its base URL
};

struct Blob {
  std::string kind;
  json::object data;
};

std::string to_text(const BlobOwner& owner, Blob blob);
// Those of `texts` that are of this owner, in their order.
std::vector<Blob> blobs_of(const BlobOwner& owner, const std::vector<std::string>& texts);

// The string `key` of an object; empty when there is none.
std::string_view string_in(const json::object& object, std::string_view key);
// The number `key` of an object; 0 when there is none.
std::size_t count_in(const json::object& object, std::string_view key);

}  // namespace braidlog::provider
