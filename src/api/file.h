// Files of a session's workspace. A path is a label below the workspace's root, never a path of the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"

namespace braidlog::api {

struct FileInfo {
  std::string path;
  std::uint64_t size = 0;
  WallTime updated_at;
};

struct PutFile {
  using ReplyValue = FileInfo;
  SessionId session_id;
  std::string path;
  std::string content;
};
using FileList = std::vector<FileInfo>;
struct ListFiles {
  using ReplyValue = FileList;
  SessionId session_id;
};
struct FileContent {
  FileInfo info;
  std::string content;
};
struct GetFile {
  using ReplyValue = FileContent;
  SessionId session_id;
  std::string path;
};

}  // namespace braidlog::api
