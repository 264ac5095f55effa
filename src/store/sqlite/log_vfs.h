// A layer between SQLite and its files: the frames of a commit reach the write-ahead log in one write. SQLite itself
// writes twice for each page, 24 bytes and the page, and at our rate of commits these calls were most of what the
// kernel did for the writer.
//
// Only writes that follow each other without a gap are held back, and never longer than until
//   - the last frame of the commit is there (its header says that it is), so that an error is the error of that very
//     write, with or without a sync after it,
//   - the log is read, measured, cut or synced,
//   - there are 128 KB of them.
// All of this is before SQLite shows the commit to readers. What is left when the write lock is released belongs to a
// transaction that was given up: it is dropped, because from then on another process may write at the same place.
#pragma once

#include <sqlite3.h>

#include <string>

namespace braidlog::store {

// Outlives the connections that are opened with its name. Thread-safe, as the VFS below it is.
class LogVfs {
 public:
  // Over `below`; the default VFS when none is given.
  explicit LogVfs(sqlite3_vfs* below = nullptr);
  ~LogVfs();
  LogVfs(const LogVfs&) = delete;
  LogVfs& operator=(const LogVfs&) = delete;

  // For sqlite3_open_v2(); no two objects have the same.
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  sqlite3_vfs vfs_;
};

}  // namespace braidlog::store
