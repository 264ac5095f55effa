// Which files are read, and what it takes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braidlog::sandbox {

struct FileReader {
  std::string_view media_type;
  std::string_view what;                       // "a PDF", for sentences
  std::string_view packages;                   // of Debian, which bring the programs
  std::span<const std::string_view> programs;  // beside python3, by name; none: no other process is started
  // Of the folder, beside the file: for what is made of it on the way.
  std::size_t scratch_bytes = 0;
  bool copies_file = false;  // a part of the file is written anew, which may be all of it
};

// By the type without its parameters ("text/html; charset=utf-8"). Null: such files are not read.
const FileReader* find_file_reader(std::string_view media_type);

// What an operator should install, when a program is not in `folder`.
std::optional<std::string> missing_reader_program(const FileReader& reader, const std::string& folder);

}  // namespace braidlog::sandbox
