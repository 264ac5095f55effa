// Workspaces as plain folders: DIR/workspaces/<session uuid>/. Every path is resolved by the kernel beneath
// the session's folder (beneath.h), a link or a device in it is never followed or opened, and a file takes
// its name by one rename after it is durable (scratch.h).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "port/workspace.h"
#include "store/workspace/beneath.h"
#include "store/workspace/scratch.h"

namespace braidlog::store {

// Thread-safe. Errors beyond the port's: none.
class FileWorkspace final : public Workspace {
 public:
  struct Options {
    std::string folder;  // the data folder; open it with the store first, whose lock keeps other servers out
    Limits limits;
  };

  // kStorage when the folder cannot be made, or the kernel has no openat2 (Linux before 5.6).
  static Result<std::unique_ptr<FileWorkspace>> open(const Options& options);

  Result<api::FileContent> read(SessionId session, std::string_view path, std::size_t bytes_max) override;
  Result<api::FileInfo> write(SessionId session, std::string_view path, std::string_view content) override;
  Status rename(SessionId session, std::string_view from, std::string_view to) override;
  Status remove(SessionId session, std::string_view path) override;
  Result<api::FileList> list(SessionId session) override;
  Status remove_all(SessionId session) override;

 private:
  using Parts = std::vector<std::string>;

  FileWorkspace(Descriptor root, std::unique_ptr<Scratch> scratch, const Limits& limits)
      : root_(std::move(root)), scratch_(std::move(scratch)), limits_(limits) {}

  Result<Parts> split(std::string_view path) const { return split_path(path, limits_.workspace_path_bytes_max); }
  Result<Descriptor> open_session(SessionId session) const;
  Result<Descriptor> make_session(SessionId session) const;
  Status place(int session, const Parts& parts, const std::string& scratch_name) const;
  Status check_room(int session, const Parts& parts) const;
  std::mutex& writer_of(SessionId session) { return writers_[std::hash<SessionId>{}(session) % writers_.size()]; }

  const Descriptor root_;
  const std::unique_ptr<Scratch> scratch_;
  const Limits limits_;
  // Changes of one session stand in line, so that two writers cannot both take the last free place. A session
  // has the lock of its hash; there is one per few workers.
  std::array<std::mutex, 16> writers_;
};

}  // namespace braidlog::store
