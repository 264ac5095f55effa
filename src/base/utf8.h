// UTF-8: what is checked, counted and cut. Everything that enters from outside is checked once at the door.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braidlog {

// Strict (RFC 3629): no overlong forms, no surrogates, nothing over U+10FFFF.
bool is_valid_utf8(std::string_view text);

// Code points of valid UTF-8.
std::size_t count_code_points(std::string_view text);

// The longest prefix of valid UTF-8 that has at most `bytes_max` bytes and ends between two characters.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

// The first `count_max` code points of valid UTF-8.
std::string_view first_code_points(std::string_view text, std::size_t count_max);

// Valid UTF-8 with every character in its small form, where it has one: for looking whether one text holds another
// whatever the case.
std::string fold_case(std::string_view text);

// Replaces every broken sequence by U+FFFD: for text that we did not get from a client (a tool's output).
std::string to_valid_utf8(std::string_view text);

// Only white space, in the sense of ASCII and U+00A0, U+0085, U+2000..U+200A, U+2028, U+2029, U+3000; or
// empty.
bool is_blank(std::string_view text);

}  // namespace braidlog
