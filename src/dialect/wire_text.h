// Texts that are cut before they go on the wire. What was cut is said in the text itself, so that nobody
// takes a part for the whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braidlog {

// Appends `text` as a JSON string. Over `bytes_max` bytes it is cut between two characters and followed by a
// mark, "… [cut: 123456 bytes]", which counts the bytes left out.
void append_cut_json_string(std::string& out, std::string_view text, std::size_t bytes_max);

}  // namespace braidlog
