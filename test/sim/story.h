// What a simulated model says: every turn tells the same endless text, "w0000001 w0000002 …", from its beginning. So a
// text in the log is right exactly when it is a prefix of the story, however often it was cut and continued.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace braidlog::sim {

inline constexpr std::size_t kWordBytes = 9;

inline std::string story(std::size_t from, std::size_t count) {
  std::string out;
  std::size_t word = from / kWordBytes;
  while (out.size() < count + kWordBytes) {
    char text[16];
    std::snprintf(text, sizeof text, "w%07zu ", ++word);
    out += text;
  }
  return out.substr(from % kWordBytes, count);
}

inline bool is_story(std::string_view text) {
  return text == story(0, text.size());
}

}  // namespace braidlog::sim
