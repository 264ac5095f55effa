// What models, tools and other people wrote, made safe for a terminal. An escape sequence in an answer could rewrite
// what stands above it, a change of direction could turn a path round just where a person is asked to allow it. So
// whatever is not plain text is spelled out: ESC becomes the four characters \x1b.
//
// Spelled out are: C0 but line feed and tab, DEL, C1, line and paragraph separators, embeddings, overrides and isolates
// of direction, and the invisible tag characters.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::terminal {

// Text of several lines. CRLF becomes LF. The marks U+200E, U+200F and U+061C, which honest text in some scripts has,
// are left out.
std::string safe_text(std::string_view text);

// On one line: every run of white space is one space, none at the ends.
std::string safe_line(std::string_view text);

// JSON that is still the same JSON: what is not plain leaves as \uXXXX, the marks of direction too. Line ends stay,
// for they cannot be inside a string.
std::string safe_json(std::string_view json);

// The same without the white space between its parts, so that nothing of it is scrolled away where somebody decides
// about it.
std::string safe_json_line(std::string_view json);

}  // namespace braidlog::terminal
