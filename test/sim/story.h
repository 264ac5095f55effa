// What a simulated model says: every turn tells the same endless text, "w0000001 w0000002 …", from its beginning. So a
// text in the log is right exactly when it is a prefix of the story, however often it was cut and continued.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::sim {

inline constexpr std::size_t kWordBytes = 9;

// The bytes of the story from a place on.
inline std::string story(std::size_t from, std::size_t count) {
  std::string out;
  out.reserve(count + 2 * kWordBytes);
  for (std::size_t word = from / kWordBytes + 1; out.size() < count + kWordBytes; ++word) {
    char text[kWordBytes] = {'w', '0', '0', '0', '0', '0', '0', '0', ' '};
    std::size_t digit = kWordBytes - 2;
    for (std::size_t rest = word; rest > 0; rest /= 10) text[digit--] = static_cast<char>('0' + rest % 10);
    out.append(text, kWordBytes);
  }
  return out.substr(from % kWordBytes, count);
}

// Whether the text, of which so much was looked at before, goes on as the story does.
inline bool is_story(std::string_view text, std::size_t from = 0) {
  return text.substr(from) == story(from, text.size() - from);
}

}  // namespace braidlog::sim
