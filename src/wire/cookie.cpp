#include "wire/cookie.h"

namespace braidlog {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::vector<std::string_view> cookie_values(std::string_view header, std::string_view name) {
  std::vector<std::string_view> values;
  while (!header.empty()) {
    const auto end = header.find(';');
    const auto pair = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || trimmed(pair.substr(0, equals)) != name) continue;
    values.push_back(without_quotes(trimmed(pair.substr(equals + 1))));
  }
  return values;
}

std::string set_session_cookie(std::string_view token, std::chrono::seconds life, bool is_secure) {
  std::string out(is_secure ? kSecureSessionCookie : kSessionCookie);
  out.append("=").append(token);
  out += "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(life.count());
  if (is_secure) out += "; Secure";
  return out;
}

std::string clear_session_cookie(bool is_secure) {
  return set_session_cookie("", std::chrono::seconds(0), is_secure);
}

}  // namespace braidlog
