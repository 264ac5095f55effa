// Base64 as RFC 4648 section 4 writes it, and nothing else: the standard alphabet, padding where it belongs, no white
// space, no bits left over in the last character. A text that is read here is the only spelling of its bytes, so two
// readers cannot disagree about it.
//
//   text := group* [ last ]            group: 4 characters, 3 bytes
//   last := 3 characters "="           2 bytes, the last 2 bits zero
//         | 2 characters "=="          1 byte, the last 4 bits zero
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace braidlog {

// None for anything that the grammar does not have. Nothing is nothing: empty text is no bytes.
std::optional<std::string> decode_base64(std::string_view text);

// How many bytes `text` stands for if it is base64: known from its length and end alone, so that a limit can be looked
// at before anything is decoded. Never less than what decode_base64() gives.
std::size_t base64_decoded_size(std::string_view text);

}  // namespace braidlog
