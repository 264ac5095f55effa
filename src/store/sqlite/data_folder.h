// The data folder on disk: made, locked against a second server, and its database file looked at before
// SQLite is let near it. Nothing is ever deleted or repaired here but a half-made new database of our own.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"

namespace braidlog::store {

class DataFolder {
 public:
  // Makes the folder (0700) when it is missing and takes its lock for the life of the object. kStorage with
  // one line for people: another server has the folder, or it cannot be made or written. Commands of the binary have
  // it for moments too; that long it waits.
  static Result<DataFolder> open(const std::string& path);
  // The same without waiting; none when somebody has the folder.
  static Result<std::optional<DataFolder>> try_open(const std::string& path);
  ~DataFolder();
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;

  std::string database_path() const { return database_path(path_); }
  static std::string database_path(const std::string& folder) { return folder + "/braidlog.db"; }

  // How full the disk of the folder was a moment ago; 0 when that cannot be told.
  unsigned disk_used_percent();

  // A new database appears complete or not at all; an existing one must look whole. SQLite would take a file
  // cut to nothing for a new database, throw its log away and begin anew: here that is damage.
  // `synced`: so were the commits in the log (log_check.h).
  Status prepare_database(bool synced) const;

 private:
  DataFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  Status make_database() const;

  std::string path_;
  int lock_;
  unsigned disk_used_percent_ = 0;
  std::chrono::steady_clock::time_point disk_looked_at_{};
};

// Checks the 100 bytes at the front of a database file (sqlite.org/fileformat2.html, 1.3) against what this
// program writes. SQLite itself accepts several values there that would make it misread our pages.
Status check_header(const std::string& database_path);

}  // namespace braidlog::store
