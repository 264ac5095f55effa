// The table of contents of a zip archive, which stands at its end. It says what the archive holds and how large that
// is; whether it is true is found out where the archive is unpacked. Nothing is unpacked here.
//
//   archive   := entry* directory [end64 locator64] end
//   directory := ("PK\1\2" … sizes … name extra comment)*
//   end       := "PK\5\6" … number, size and place of the directory … comment
//
// All numbers are little endian. Where one does not fit its field, the field is all ones and the number is in `extra`
// (of an entry) or in end64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace braidlog::files {

struct ZipEntry {
  std::string_view name;  // points into the archive; any bytes
  std::uint64_t unpacked_bytes = 0;
};

inline constexpr std::size_t kZipEntriesMax = 10'000;  // as many as the reader takes: sandbox/reader/reader_archive.py

struct ZipDirectory {
  std::vector<ZipEntry> entries;
  std::uint64_t unpacked_bytes = 0;  // the sum; the largest number when it is larger than any
  bool has_more = false;             // there are more than kZipEntriesMax; the rest was not looked at
};

// None: there is no directory, or it does not lie within the archive.
std::optional<ZipDirectory> read_zip_directory(std::string_view archive);

}  // namespace braidlog::files
