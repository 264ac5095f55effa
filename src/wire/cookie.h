// The cookie of a login: its names, how it is found in a request and how it is set. Over TLS it has the name with the
// prefix that a browser takes only from this host itself and only over TLS (RFC 6265bis, 4.1.3), so that neither a
// neighbouring host nor somebody on the wire can put another one in its place.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace braidlog {

inline constexpr std::string_view kSessionCookie = "session";
inline constexpr std::string_view kSecureSessionCookie = "__Host-session";

// The values of the cookies of that name in a Cookie header, in its order, without quotes around them.
std::vector<std::string_view> cookie_values(std::string_view header, std::string_view name);

// The value of Set-Cookie that leaves `token` in the browser for that long, or takes it away.
std::string set_session_cookie(std::string_view token, std::chrono::seconds life, bool is_secure);
std::string clear_session_cookie(bool is_secure);

}  // namespace braidlog
