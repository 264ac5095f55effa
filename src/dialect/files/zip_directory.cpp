#include "dialect/files/zip_directory.h"

#include <algorithm>
#include <limits>

namespace braidlog::files {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kEntry = "PK\1\2"sv;
constexpr std::string_view kEnd = "PK\5\6"sv;
constexpr std::string_view kEnd64 = "PK\6\6"sv;
constexpr std::string_view kLocator64 = "PK\6\7"sv;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kCommentBytesMax = 65'535;
constexpr std::uint64_t kSeeElsewhere = 0xffffffff;
constexpr std::uint64_t kExtra64 = 1;  // the kind of an extra field with long numbers

// The number of `size` bytes at a place that lies within.
std::uint64_t number_at(std::string_view bytes, std::size_t place, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[place + i]);
  return out;
}

// Where the end begins: the last place that looks so, since a comment follows.
std::optional<std::size_t> find_end(std::string_view archive) {
  if (archive.size() < kEndBytes) return std::nullopt;
  const std::size_t last = archive.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kCommentBytesMax);
  const auto found = archive.substr(0, last + kEnd.size()).rfind(kEnd);
  if (found == std::string_view::npos || found < first) return std::nullopt;
  return found;
}

// The directory's bytes, which stand right before the end, whatever stands before the archive.
std::optional<std::string_view> find_directory(std::string_view archive) {
  const auto end = find_end(archive);
  if (!end) return std::nullopt;
  std::size_t directory_end = *end;
  std::uint64_t size = number_at(archive, *end + 12, 4);
  if (size == kSeeElsewhere && *end >= kLocator64Bytes + kEnd64Bytes &&
      archive.substr(*end - kLocator64Bytes).starts_with(kLocator64)) {
    directory_end = *end - kLocator64Bytes - kEnd64Bytes;
    if (!archive.substr(directory_end).starts_with(kEnd64)) return std::nullopt;
    size = number_at(archive, directory_end + 40, 8);
  }
  if (size > directory_end) return std::nullopt;
  return archive.substr(directory_end - size, size);
}

// The unpacked size where it did not fit: the first number of its extra field.
std::uint64_t long_size(std::string_view extra) {
  while (extra.size() >= 4) {
    const std::uint64_t kind = number_at(extra, 0, 2);
    const std::size_t size = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) break;
    if (kind == kExtra64 && size >= 8) return number_at(extra, 0, 8);
    extra.remove_prefix(size);
  }
  return kSeeElsewhere;
}

}  // namespace

std::optional<ZipDirectory> read_zip_directory(std::string_view archive) {
  const auto found = find_directory(archive);
  if (!found) return std::nullopt;
  ZipDirectory out;
  std::string_view rest = *found;
  while (!rest.empty()) {
    if (rest.size() < kEntryBytes || !rest.starts_with(kEntry)) return std::nullopt;
    if (out.entries.size() == kZipEntriesMax) {
      out.has_more = true;
      return out;
    }
    const std::size_t name_bytes = number_at(rest, 28, 2);
    const std::size_t extra_bytes = number_at(rest, 30, 2);
    const std::size_t comment_bytes = number_at(rest, 32, 2);
    if (rest.size() - kEntryBytes < name_bytes + extra_bytes + comment_bytes) return std::nullopt;
    ZipEntry entry{.name = rest.substr(kEntryBytes, name_bytes), .unpacked_bytes = number_at(rest, 24, 4)};
    if (entry.unpacked_bytes == kSeeElsewhere) {
      entry.unpacked_bytes = long_size(rest.substr(kEntryBytes + name_bytes, extra_bytes));
    }
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    out.unpacked_bytes =
        entry.unpacked_bytes > kMost - out.unpacked_bytes ? kMost : out.unpacked_bytes + entry.unpacked_bytes;
    out.entries.push_back(entry);
    rest.remove_prefix(kEntryBytes + name_bytes + extra_bytes + comment_bytes);
  }
  return out;
}

}  // namespace braidlog::files
