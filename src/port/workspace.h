// The files of sessions. Each session has a folder of its own; a path is relative to it and can never leave it, not
// by "..", not by a symbolic link swapped in between (the kernel resolves it beneath the folder). Blocks: call it on
// the worker pool. Thread-safe.
//
// Errors: kInvalidPath (leaves the workspace, empty, absolute, not UTF-8, NUL, too long), kFileNotFound, kTooLarge,
// kLimitExceeded (too many files), kStorage.
#pragma once

#include <string>
#include <string_view>

#include "api/file.h"
#include "base/result.h"

namespace braidlog {

class Workspace {
 public:
  virtual ~Workspace() = default;

  // Of write() and rename(), kOutcomeUnknown: it was done, but may not be on the disk.

  // The whole file, at most `bytes_max` of it: kTooLarge above.
  virtual Result<api::FileContent> read(SessionId session, std::string_view path, std::size_t bytes_max) = 0;
  // Replaces the file in one step (readers see the old or the new one), making folders on the way; durable on return.
  virtual Result<api::FileInfo> write(SessionId session, std::string_view path, std::string_view content) = 0;
  // kFileNotFound; an existing target is refused with kInvalidState.
  virtual Status rename(SessionId session, std::string_view from, std::string_view to) = 0;
  // kFileNotFound.
  virtual Status remove(SessionId session, std::string_view path) = 0;
  // Every regular file, by path.
  virtual Result<api::FileList> list(SessionId session) = 0;
  // Deletes everything of the session; nothing to delete is no error.
  virtual Status remove_all(SessionId session) = 0;
};

}  // namespace braidlog
