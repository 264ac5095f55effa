// Addresses of other servers, as an operator writes them.
#pragma once

#include <string_view>

namespace braidlog {

// Whether `url` can stand before a path: http or https, a host, at most a port and a path. No user and no password,
// which would end up in logs, no query and no fragment.
bool is_base_url(std::string_view url);
inline constexpr std::string_view kBaseUrlRule =
    "must be like http://host:port/path or https://…, without a user, a query or a fragment";

}  // namespace braidlog
