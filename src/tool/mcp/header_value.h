// Values of HTTP headers in the modern era: what a header cannot hold goes as =?base64?…?=.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::tool::mcp {

// Visible ASCII, spaces and tabs inside, nothing else.
bool is_header_value(std::string_view text);
// A token of RFC 9110: what may be part of a header's name.
bool is_header_token(std::string_view text);

std::string encode_base64(std::string_view bytes);
// `text` as it is where a header can hold it, else encoded.
std::string header_value(std::string_view text);

}  // namespace braidlog::tool::mcp
