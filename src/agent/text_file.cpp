#include "agent/text_file.h"

#include <fstream>
#include <iterator>

namespace braidlog::agent {

namespace {

constexpr std::size_t kBytesMax = 256 * 1024;

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return fail(ErrorCode::kBadField, "is not a file");
  if (std::filesystem::file_size(path, error) > kBytesMax) {
    return fail(ErrorCode::kBadField, error ? "cannot be read" : "is larger than 256 KiB");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(ErrorCode::kBadField, "cannot be read");
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) return fail(ErrorCode::kBadField, "cannot be read");
  return text;
}

}  // namespace braidlog::agent
