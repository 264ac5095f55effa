// SQLite's objects are C: a table of functions and a piece of memory of szOsFile bytes for each file. Ours holds a
// DatabaseFile or a LogFile, and behind it the file of the VFS below. Files of other kinds are opened by the VFS below
// in the memory that SQLite gave, and never come back here.

#include "store/sqlite/log_vfs.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace braidlog::store {

namespace {

// SQLite's own VFS takes no more in one write: it knows only single pages and headers.
constexpr std::size_t kHeldBytesMax = 0x1ffff;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr int kWriteLock = 0;  // of the locks in shared memory: WAL_WRITE_LOCK (sqlite.org/walformat.html, 2.3)

class LogFile;

// All of it goes through; only the end of a transaction is seen here.
class DatabaseFile : public sqlite3_file {
 public:
  explicit DatabaseFile(sqlite3_file* below) : below_(below) {}
  sqlite3_file* below() const { return below_; }
  LogFile* log = nullptr;  // while it is open

 private:
  sqlite3_file* below_;
};

class LogFile : public sqlite3_file {
 public:
  LogFile(sqlite3_file* below, DatabaseFile& database) : below_(below), database_(database) {
    database_.log = this;
    // A file that pads commits to its sectors has frames that no header announces.
    const int traits = below->pMethods->xDeviceCharacteristics(below);
    gathers_ = (traits & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
    held_.reserve(kHeldBytesMax);
  }
  ~LogFile() { database_.log = nullptr; }

  int write(std::string_view bytes, std::int64_t at) {
    if (failed_ != SQLITE_OK) return failed_;
    // The header of a frame that was written before may be written anew, alone: it does not follow, and is not held.
    const bool follows = gathers_ && at == end_;
    const bool completes = std::exchange(commit_announced_, announces_commit(bytes));
    end_ = at + static_cast<std::int64_t>(bytes.size());
    if (!follows || held_.size() + bytes.size() > kHeldBytesMax) {
      if (const int code = flush(); code != SQLITE_OK) return code;
    }
    if (!follows) return write_below(bytes, at);
    if (held_.empty()) begin_ = at;
    held_ += bytes;
    return completes ? flush() : SQLITE_OK;
  }

  // The code of this one; one that failed before has said so.
  int flush() {
    if (held_.empty()) return SQLITE_OK;
    const int code = write_below(held_, begin_);
    held_.clear();
    return code;
  }
  int sync(int flags) {
    flush();
    return failed_ == SQLITE_OK ? below_->pMethods->xSync(below_, flags) : failed_;
  }

  // The transaction is over: what is still held is of no commit, and what failed was this transaction's.
  void end_transaction() {
    held_.clear();
    commit_announced_ = false;
    failed_ = SQLITE_OK;
  }

  sqlite3_file* below() const { return below_; }

 private:
  // The header of a frame says how large the database is after the commit, or 0 when more frames follow.
  static bool announces_commit(std::string_view bytes) {
    return bytes.size() == kFrameHeaderBytes && bytes.substr(4, 4) != std::string_view("\0\0\0\0", 4);
  }
  int write_below(std::string_view bytes, std::int64_t at) {
    return failed_ = below_->pMethods->xWrite(below_, bytes.data(), static_cast<int>(bytes.size()), at);
  }

  sqlite3_file* below_;
  DatabaseFile& database_;
  bool gathers_ = false;
  std::string held_;
  std::int64_t begin_ = 0;         // where `held_` belongs
  std::int64_t end_ = -1;          // of the last write
  bool commit_announced_ = false;  // the next write is the last page of a commit
  // What could not be written leaves a gap: until the end of the transaction nothing is written behind it.
  int failed_ = SQLITE_OK;
};

constexpr std::size_t kAlignment = 16;
constexpr std::size_t kBelowAt =
    (std::max(sizeof(LogFile), sizeof(DatabaseFile)) + kAlignment - 1) / kAlignment * kAlignment;

// ---- what SQLite calls, of both

template <class File>
File& self(sqlite3_file* file) {
  return static_cast<File&>(*file);
}
template <class File>
sqlite3_file* below(sqlite3_file* file) {
  return self<File>(file).below();
}

template <class File>
int close(sqlite3_file* file) {
  sqlite3_file* const inner = below<File>(file);
  const int code = inner->pMethods->xClose(inner);
  self<File>(file).~File();
  return code;
}
template <class File>
int lock(sqlite3_file* file, int level) {
  return below<File>(file)->pMethods->xLock(below<File>(file), level);
}
template <class File>
int unlock(sqlite3_file* file, int level) {
  return below<File>(file)->pMethods->xUnlock(below<File>(file), level);
}
template <class File>
int check_reserved_lock(sqlite3_file* file, int* out) {
  return below<File>(file)->pMethods->xCheckReservedLock(below<File>(file), out);
}
template <class File>
int control(sqlite3_file* file, int operation, void* argument) {
  return below<File>(file)->pMethods->xFileControl(below<File>(file), operation, argument);
}
template <class File>
int sector_size(sqlite3_file* file) {
  return below<File>(file)->pMethods->xSectorSize(below<File>(file));
}
template <class File>
int device_characteristics(sqlite3_file* file) {
  return below<File>(file)->pMethods->xDeviceCharacteristics(below<File>(file));
}

// Who reads, cuts or measures a log has to find everything there.
int settle(LogFile& log) {
  return log.flush();
}
int settle(DatabaseFile&) {
  return SQLITE_OK;
}

template <class File>
int read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  if (const int code = settle(self<File>(file)); code != SQLITE_OK) return code;
  return below<File>(file)->pMethods->xRead(below<File>(file), out, size, at);
}
template <class File>
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = settle(self<File>(file)); code != SQLITE_OK) return code;
  return below<File>(file)->pMethods->xTruncate(below<File>(file), size);
}
template <class File>
int file_size(sqlite3_file* file, sqlite3_int64* out) {
  if (const int code = settle(self<File>(file)); code != SQLITE_OK) return code;
  return below<File>(file)->pMethods->xFileSize(below<File>(file), out);
}

int sync_log(sqlite3_file* file, int flags) {
  return self<LogFile>(file).sync(flags);
}
int sync_database(sqlite3_file* file, int flags) {
  return below<DatabaseFile>(file)->pMethods->xSync(below<DatabaseFile>(file), flags);
}
int write_log(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  return self<LogFile>(file).write({static_cast<const char*>(bytes), static_cast<std::size_t>(size)}, at);
}
int write_database(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  sqlite3_file* const inner = below<DatabaseFile>(file);
  return inner->pMethods->xWrite(inner, bytes, size, at);
}

// ---- shared memory, of the database alone

bool has_shared_memory(sqlite3_file* inner) {
  return inner->pMethods->iVersion >= 2 && inner->pMethods->xShmMap != nullptr;
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  sqlite3_file* const inner = below<DatabaseFile>(file);
  if (!has_shared_memory(inner)) return SQLITE_IOERR_SHMMAP;
  return inner->pMethods->xShmMap(inner, page, size, extend, out);
}
int lock_shared(sqlite3_file* file, int first, int count, int flags) {
  sqlite3_file* const inner = below<DatabaseFile>(file);
  LogFile* const log = self<DatabaseFile>(file).log;
  if (log && (flags & SQLITE_SHM_UNLOCK) != 0 && first == kWriteLock) log->end_transaction();
  return inner->pMethods->xShmLock(inner, first, count, flags);
}
void fence_shared(sqlite3_file* file) {
  sqlite3_file* const inner = below<DatabaseFile>(file);
  inner->pMethods->xShmBarrier(inner);
}
int unmap_shared(sqlite3_file* file, int remove) {
  sqlite3_file* const inner = below<DatabaseFile>(file);
  return inner->pMethods->xShmUnmap(inner, remove);
}

// Version 2: a file that is mapped into memory (version 3) we never ask for.
template <class File>
constexpr sqlite3_io_methods make_methods(decltype(sqlite3_io_methods::xWrite) write,
                                          decltype(sqlite3_io_methods::xSync) sync) {
  return {.iVersion = 2,
          .xClose = close<File>,
          .xRead = read<File>,
          .xWrite = write,
          .xTruncate = truncate<File>,
          .xSync = sync,
          .xFileSize = file_size<File>,
          .xLock = lock<File>,
          .xUnlock = unlock<File>,
          .xCheckReservedLock = check_reserved_lock<File>,
          .xFileControl = control<File>,
          .xSectorSize = sector_size<File>,
          .xDeviceCharacteristics = device_characteristics<File>,
          .xShmMap = map_shared,
          .xShmLock = lock_shared,
          .xShmBarrier = fence_shared,
          .xShmUnmap = unmap_shared,
          .xFetch = nullptr,
          .xUnfetch = nullptr};
}
constexpr sqlite3_io_methods kLogMethods = make_methods<LogFile>(write_log, sync_log);
constexpr sqlite3_io_methods kDatabaseMethods = make_methods<DatabaseFile>(write_database, sync_database);

// ---- the VFS

sqlite3_vfs* below(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* const under = below(vfs);
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return under->xOpen(under, name, file, flags, flags_out);

  auto* const memory = reinterpret_cast<char*>(file);
  auto* const inner = reinterpret_cast<sqlite3_file*>(memory + kBelowAt);
  file->pMethods = inner->pMethods = nullptr;  // SQLite does not close what could not be opened
  const int code = under->xOpen(under, name, inner, flags, flags_out);
  if (code != SQLITE_OK) {
    if (inner->pMethods) inner->pMethods->xClose(inner);
    return code;
  }
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    (new (memory) DatabaseFile(inner))->pMethods = &kDatabaseMethods;
    return SQLITE_OK;
  }
  auto& database = self<DatabaseFile>(sqlite3_database_file_object(name));
  (new (memory) LogFile(inner, database))->pMethods = &kLogMethods;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  return below(vfs)->xDelete(below(vfs), name, sync_folder);
}
int check_access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  return below(vfs)->xAccess(below(vfs), name, flags, out);
}
int full_path(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  return below(vfs)->xFullPathname(below(vfs), name, size, out);
}
int randomness(sqlite3_vfs* vfs, int size, char* out) {
  return below(vfs)->xRandomness(below(vfs), size, out);
}
int sleep(sqlite3_vfs* vfs, int microseconds) {
  return below(vfs)->xSleep(below(vfs), microseconds);
}
int current_time(sqlite3_vfs* vfs, double* out) {
  return below(vfs)->xCurrentTime(below(vfs), out);
}
int last_error(sqlite3_vfs* vfs, int size, char* out) {
  return below(vfs)->xGetLastError(below(vfs), size, out);
}

}  // namespace

LogVfs::LogVfs(sqlite3_vfs* under)
    : name_("braidlog-log-" + std::to_string(reinterpret_cast<std::uintptr_t>(this))), vfs_{} {
  if (!under) under = sqlite3_vfs_find(nullptr);
  BRAIDLOG_CHECK(under != nullptr);
  vfs_.iVersion = 1;
  vfs_.szOsFile = static_cast<int>(kBelowAt) + under->szOsFile;
  vfs_.mxPathname = under->mxPathname;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = under;
  vfs_.xOpen = open_file;
  vfs_.xDelete = delete_file;
  vfs_.xAccess = check_access;
  vfs_.xFullPathname = full_path;
  vfs_.xRandomness = randomness;
  vfs_.xSleep = sleep;
  vfs_.xCurrentTime = current_time;
  vfs_.xGetLastError = last_error;
  BRAIDLOG_CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
}

LogVfs::~LogVfs() {
  sqlite3_vfs_unregister(&vfs_);
}

}  // namespace braidlog::store
