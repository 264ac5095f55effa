#include "store/workspace/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace braidlog::store {

namespace {

constexpr std::size_t kNameBytesMax = 255;

// C0, DEL and C1: a name with a line end in it can forge a line wherever names are listed.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

tl::unexpected<Error> invalid(const char* why) {
  return fail(ErrorCode::kInvalidPath, why);
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kNameBytesMax &&
         name.find('/') == std::string_view::npos && is_valid_utf8(name) && !has_control_character(name);
}

Result<std::vector<std::string>> split_path(std::string_view path, std::size_t bytes_max) {
  if (path.empty()) return invalid("the path is empty");
  if (path.size() > bytes_max) return invalid("the path is too long");
  if (path.front() == '/') return invalid("the path is not relative");
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (!is_plain_name(part)) return invalid("the path has a part that is no file name");
    parts.emplace_back(part);
    begin = end + 1;
  }
  if (parts.size() > kPathPartsMax) return invalid("the path has too many parts");
  return parts;
}

Descriptor open_beneath(int folder, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOCTTY);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder, path, &how, sizeof(how));
    // EAGAIN: the tree was renamed under the walk, and the kernel cannot say that it stayed beneath.
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN) || attempt == 100) return Descriptor(static_cast<int>(fd));
  }
}

Error file_error(int number) {
  switch (number) {
    case ENOENT:
    case ENXIO:  // a socket, or a FIFO without a reader
    case ENOTDIR: return {ErrorCode::kFileNotFound, "no such file", {}};
    case ELOOP:
    case EXDEV:
    case ENAMETOOLONG:
    case EISDIR: return {ErrorCode::kInvalidPath, "the path is no file of the workspace", {}};
    case ENOSYS:
      return {ErrorCode::kStorage, "this kernel has no openat2 (Linux 5.6), which keeps workspaces apart", {}};
    default: return {ErrorCode::kStorage, std::string("the workspace failed: ") + std::strerror(number), {}};
  }
}

}  // namespace braidlog::store
