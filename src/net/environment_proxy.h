// Whether the environment puts a proxy between this process and a host, by the rules of curl: http_proxy (in small
// letters only), all_proxy and ALL_PROXY name one; no_proxy and NO_PROXY name hosts without.
#pragma once

#include <string_view>

#include "base/environment.h"

namespace braidlog {

// Whether `host` is certainly asked for over http without a proxy. False also in doubt: libcurl, which then takes the
// request, decides for itself.
bool is_asked_directly(std::string_view host, const Environment& environment);

}  // namespace braidlog
