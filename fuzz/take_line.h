// How fuzz targets take an input apart that is several texts at once: line by line.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::testing {

// The line at the front of `rest`, without its end; takes it off.
inline std::string take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string line(rest.substr(0, end));
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

}  // namespace braidlog::testing
