#pragma once

#include <string>

namespace braidlog {

// Empties the string and gives its memory back. `text = {}` and `text = std::string()` keep it.
inline void release_memory(std::string& text) {
  std::string().swap(text);
}

}  // namespace braidlog
