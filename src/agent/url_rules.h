// The addresses in an agent file that tools send requests to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braidlog::agent {

// http or https, a host, at most a port, a path and a query. No user or password and no fragment. kBadField; the
// message is the end of a sentence and never repeats the address, which may hold a secret.
Status check_request_url(std::string_view url);

// The address of an HTTP tool with its {places}, which stand for arguments; none of them in scheme, host or port.
struct UrlTemplate {
  std::vector<std::string> path_places{};  // before a '?'
  std::vector<std::string> query_places{};
};
Result<UrlTemplate> read_url_template(std::string_view url);

}  // namespace braidlog::agent
