// The title of a session that a message begins: what people will look for it by.
#pragma once

#include <string>
#include <string_view>

namespace braidlog {

// `message` on one line: white space collapsed, at most 80 characters, cut after a word where there is one to cut
// after. `message` is valid UTF-8; of a blank one nothing is left.
std::string title_of(std::string_view message);

}  // namespace braidlog
