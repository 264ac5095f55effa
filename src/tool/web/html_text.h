// The little of HTML that is read in this process: a title, a charset, a line with tags in it. Whole pages go to the
// text extractor, whose parser works behind walls.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::tool {

// What a <meta> near the beginning says the charset is, in lower case; empty when none does.
std::string html_charset(std::string_view bytes);

// The text of the first <title>, in one line and of a bounded length; empty when there is none. `html` is UTF-8.
std::string html_title(std::string_view html);

// `html` without its tags, with its entities as characters, white space as single spaces.
std::string html_to_line(std::string_view html);

}  // namespace braidlog::tool
