#include "auth/change_notice.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace braidlog::auth {

struct ChangeNotice::Numbers {
  std::atomic<std::uint64_t> changed;
  std::atomic<std::uint64_t> seen;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "two processes share these");
static_assert(sizeof(std::atomic<std::uint64_t>) == 8, "they stand in a file");

namespace {

constexpr off_t kFileBytes = 16;

// A new file gets its bytes by a write and not by its length: on a full disk a write fails, but a touch of mapped
// memory without a place on the disk ends the process. Two that do this at once write the same.
bool fill(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return false;
  for (off_t at = info.st_size; at < kFileBytes; ++at) {
    if (::pwrite(file, "", 1, at) != 1) return false;
  }
  return true;
}

auto failed(const char* what) {
  return fail(ErrorCode::kStorage,
              std::string("the notice of changed users cannot be ") + what + ": " + std::strerror(errno));
}

}  // namespace

Result<ChangeNotice> ChangeNotice::open(const std::string& folder) {
  const int file = ::open((folder + "/identity.version").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed("opened");
  void* mapped = MAP_FAILED;
  if (fill(file)) mapped = ::mmap(nullptr, sizeof(Numbers), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    auto error = failed("mapped");
    ::close(file);
    return error;
  }
  return ChangeNotice(file, static_cast<Numbers*>(mapped));
}

ChangeNotice::ChangeNotice(ChangeNotice&& other) noexcept
    : file_(std::exchange(other.file_, -1)), numbers_(std::exchange(other.numbers_, nullptr)) {}

ChangeNotice::~ChangeNotice() {
  if (numbers_ != nullptr) ::munmap(numbers_, sizeof(Numbers));
  if (file_ >= 0) ::close(file_);
}

Status ChangeNotice::serve() {
  while (::flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) return failed("locked");
  }
  return {};
}

std::uint64_t ChangeNotice::changed() const {
  return numbers_->changed.load(std::memory_order_acquire);
}

void ChangeNotice::set_seen(std::uint64_t changed) {
  numbers_->seen.store(changed, std::memory_order_release);
}

std::uint64_t ChangeNotice::announce() {
  return numbers_->changed.fetch_add(1, std::memory_order_acq_rel) + 1;
}

// As a distance, so that it holds in a file that somebody has filled with anything.
bool ChangeNotice::is_seen(std::uint64_t announced) const {
  return static_cast<std::int64_t>(numbers_->seen.load(std::memory_order_acquire) - announced) >= 0;
}

bool ChangeNotice::is_served() const {
  if (::flock(file_, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(file_, LOCK_UN);
  return false;
}

}  // namespace braidlog::auth
