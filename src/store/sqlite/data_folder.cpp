#include "store/sqlite/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "store/sqlite/database.h"
#include "store/sqlite/log_check.h"
#include "store/sqlite/schema.h"

namespace braidlog::store {

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHeaderBytes = 100;

tl::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorCode::kStorage, what + ": " + std::strerror(errno));
}

tl::unexpected<Error> damaged(const char* how) {
  return fail(ErrorCode::kStorage,
              std::string("the database is damaged (") + how + "); nothing was changed. Restore it from a backup");
}

// Size in bytes, or -1 when there is no such file.
std::int64_t file_size(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_size) : -1;
}

Status sync_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return failed("the data folder cannot be opened");
  const int result = ::fsync(folder);
  ::close(folder);
  if (result != 0) return failed("the data folder cannot be synced");
  return {};
}

class Header {
 public:
  std::array<std::uint8_t, kHeaderBytes> bytes{};

  std::uint32_t word(std::size_t at) const {
    return static_cast<std::uint32_t>(bytes[at]) << 24 | static_cast<std::uint32_t>(bytes[at + 1]) << 16 |
           static_cast<std::uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
  }
  bool has_our_constants() const {
    static constexpr std::array<std::uint8_t, 8> kFormat{0x10, 0x00, 2, 2, 0, 64, 32, 32};  // 4096-byte pages, WAL
    if (std::memcmp(bytes.data() + 16, kFormat.data(), kFormat.size()) != 0) return false;
    if (word(44) != 4 || word(52) != 0 || word(56) != 1 || word(64) != 0) return false;  // format, vacuum, UTF-8
    for (std::size_t at = 72; at < 92; ++at) {
      if (bytes[at] != 0) return false;
    }
    return true;
  }
};

}  // namespace

Status check_header(const std::string& database_path) {
  Header header;
  const int file = ::open(database_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed("the database cannot be opened");
  const auto got = ::pread(file, header.bytes.data(), kHeaderBytes, 0);
  ::close(file);
  if (got < static_cast<ssize_t>(kHeaderBytes)) return damaged("its file is cut short");
  if (std::memcmp(header.bytes.data(), "SQLite format 3", 16) != 0) {
    return fail(ErrorCode::kStorage, "the data file is not a Braidlog database, or its header is damaged");
  }
  if (!header.has_our_constants() || header.word(68) != kApplicationId) return damaged("its header is not ours");

  const std::int64_t size = file_size(database_path);
  // With a write-ahead log beside it the file may honestly be behind its header; SQLite then checks against
  // the log.
  if (file_size(database_path + "-wal") > 0) return {};
  if (size % static_cast<std::int64_t>(kPageBytes) != 0) return damaged("its file is cut short");
  const std::int64_t pages = size / static_cast<std::int64_t>(kPageBytes);
  if (header.word(28) != pages) return damaged("its size is not what its header says");
  if (header.word(24) != header.word(92)) return damaged("its header contradicts itself");
  if (header.word(32) > pages || header.word(36) >= pages || (header.word(32) == 0) != (header.word(36) == 0)) {
    return damaged("its list of free pages is not one");
  }
  return {};
}

Result<DataFolder> DataFolder::open(const std::string& path) {
  constexpr std::chrono::milliseconds kPatience{500}, kLook{20};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    auto folder = try_open(path);
    if (!folder) return fail(folder.error());
    if (*folder) return std::move(**folder);
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(ErrorCode::kStorage, "another Braidlog server is using this data folder");
    }
    std::this_thread::sleep_for(kLook);
  }
}

Result<std::optional<DataFolder>> DataFolder::try_open(const std::string& path) {
  std::error_code code;
  const auto parent = std::filesystem::absolute(path, code).parent_path();
  if (!code) std::filesystem::create_directories(parent, code);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("the data folder cannot be made");
  const int lock = ::open((path + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return failed("the data folder cannot be written");
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    auto error = failed("the data folder cannot be locked");
    ::close(lock);
    if (taken) return std::optional<DataFolder>();
    return error;
  }
  return std::optional<DataFolder>(DataFolder(path, lock));
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

DataFolder::~DataFolder() {
  if (lock_ >= 0) ::close(lock_);
}

unsigned DataFolder::disk_used_percent() {
  constexpr std::chrono::milliseconds kMoment{200};
  const auto now = std::chrono::steady_clock::now();
  if (now - disk_looked_at_ < kMoment) return disk_used_percent_;
  disk_looked_at_ = now;
  struct statvfs disk {};
  if (::statvfs(path_.c_str(), &disk) != 0) return disk_used_percent_ = 0;
  // As df counts: what only root may use is neither used nor free.
  const auto used = disk.f_blocks - disk.f_bfree;
  const auto all = used + disk.f_bavail;
  return disk_used_percent_ = all == 0 ? 0 : static_cast<unsigned>(used * 100 / all);
}

Status DataFolder::prepare_database(bool synced) const {
  if (file_size(database_path()) >= 0) {
    if (auto status = check_header(database_path()); !status) return status;
    return synced ? check_log(database_path() + "-wal") : Status();
  }
  if (file_size(database_path() + "-wal") > 0) return damaged("its write-ahead log is there, its file is not");
  return make_database();
}

Status DataFolder::make_database() const {
  const std::string draft = database_path() + ".new";
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((draft + suffix).c_str());
  const int file = ::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed("the database cannot be made");
  ::close(file);
  {
    auto database = Database::open(draft, Database::Access::kWrite);
    if (!database) return fail(database.error());
    if (auto status = (*database)->configure_writer(Durability::kFull); !status) return status;
    if (auto status = migrate(**database); !status) return status;
    if (auto status = (*database)->exec("PRAGMA wal_checkpoint(TRUNCATE)"); !status) return status;
    (*database)->keep_tidy();
  }
  if (::rename(draft.c_str(), database_path().c_str()) != 0) return failed("the database cannot be made");
  return sync_folder(path_);
}

}  // namespace braidlog::store
