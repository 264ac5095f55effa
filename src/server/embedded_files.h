// The files of the console, which stand in the binary. The build makes the definition (embed_files.py).
#pragma once

#include <span>
#include <string_view>

namespace braidlog {

struct EmbeddedFile {
  std::string_view path;  // "/index.html", "/assets/index-1a2b3c4d.js"
  std::string_view bytes;
  std::string_view gzip;    // the same bytes, compressed; empty where that does not make them fewer
  std::string_view digest;  // of the bytes: equal for equal files alone
};

// Sorted by path; /index.html is among them.
std::span<const EmbeddedFile> console_files();

}  // namespace braidlog
