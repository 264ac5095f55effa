// Half characters. Servers written in languages with 16-bit strings cut an emoji in two and send each half as an escape
// of its own, which is no JSON text. That is no reason to lose an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braidlog::provider {

// The first half of a character whose second comes with a later event of the same stream.
struct HalfCharacter {
  int unit = 0;  // 0: there is none
};

// `json` without halves that stand alone; none when there is no such half. One that ends a string is kept in `half` and
// stands before the one that begins a string later on; any other becomes U+FFFD.
std::optional<std::string> without_lone_surrogates(std::string_view json, HalfCharacter& half);

}  // namespace braidlog::provider
