// `braidlog routes`: what can be asked of the server, and by whom. Tests of access are generated from it, so that a new
// route is tested by itself.
#pragma once

#include <string>

namespace braidlog::app {

// As columns for people, or as {"routes":[{"method","path","access","dialect","body","streams","starts_run"}]}. A "{}"
// of a path is one part of it, "{*}" the rest. Where there is a GET that does not stream, there is a HEAD.
std::string routes_document(bool json);

}  // namespace braidlog::app
