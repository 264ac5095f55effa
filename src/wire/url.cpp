#include "wire/url.h"

#include <algorithm>

namespace braidlog {

bool is_base_url(std::string_view url) {
  if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else if (url.starts_with("http://")) {
    url.remove_prefix(7);
  } else {
    return false;
  }
  const auto host = url.substr(0, url.find('/'));
  const bool is_plain = std::ranges::all_of(
      url, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#' && c != '@' && c != '\\'; });
  return is_plain && !host.empty() && !host.starts_with(':');
}

}  // namespace braidlog
