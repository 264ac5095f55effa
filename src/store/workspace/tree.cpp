#include "store/workspace/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "store/workspace/file_info.h"

namespace braidlog::store {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class Walk {
 public:
  Walk(std::size_t entries_max, api::FileList& files) : entries_left_(entries_max), files_(files) {}

  // `prefix` is "" or ends with a slash. Recursion is bounded by kPathPartsMax.
  Status visit(Descriptor folder, const std::string& prefix, std::size_t depth) {
    const int fd = folder.get();
    std::unique_ptr<DIR, CloseFolder> stream(::fdopendir(fd));
    if (!stream) return fail(file_error(errno));
    folder.release();
    for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (entries_left_-- == 0) return fail(ErrorCode::kLimitExceeded, "the workspace holds too many files");
      if (!is_plain_name(name)) continue;
      if (auto status = visit_name(fd, prefix, name, depth); !status) return status;
    }
    if (errno != 0) return fail(file_error(errno));
    return {};
  }

 private:
  Status visit_name(int folder, const std::string& prefix, const std::string& name, std::size_t depth) {
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};  // gone in between
    if (S_ISREG(info.st_mode)) files_.push_back(file_info(prefix + name, info));
    if (!S_ISDIR(info.st_mode) || depth + 1 >= kPathPartsMax) return {};
    Descriptor child = open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
    if (!child.is_open()) return {};  // swapped for something else, or not ours to read
    return visit(std::move(child), prefix + name + "/", depth + 1);
  }

  std::size_t entries_left_;
  api::FileList& files_;
};

std::string join(const std::vector<std::string>& parts, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) path += (i ? "/" : "") + parts[i];
  return path;
}

}  // namespace

Status list_files(int folder, std::size_t entries_max, api::FileList& files) {
  Descriptor again = open_beneath(folder, ".", O_RDONLY | O_DIRECTORY);
  if (!again.is_open()) return fail(file_error(errno));
  return Walk(entries_max, files).visit(std::move(again), "", 0);
}

Result<Descriptor> open_parent(int folder, const std::vector<std::string>& parts) {
  const std::string way = parts.size() == 1 ? "." : join(parts, parts.size() - 1);
  Descriptor parent = open_beneath(folder, way.c_str(), O_RDONLY | O_DIRECTORY);
  if (!parent.is_open()) return fail(file_error(errno));
  return parent;
}

Result<Descriptor> make_parent(int folder, const std::vector<std::string>& parts) {
  Descriptor parent = open_beneath(folder, ".", O_RDONLY | O_DIRECTORY);
  if (!parent.is_open()) return fail(file_error(errno));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (::mkdirat(parent.get(), parts[i].c_str(), 0700) == 0) {
      if (::fsync(parent.get()) != 0) return fail(file_error(errno));
    } else if (errno != EEXIST) {
      return fail(file_error(errno));
    }
    Descriptor child = open_beneath(parent.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY);
    if (!child.is_open()) {
      if (errno == ENOTDIR) return fail(ErrorCode::kInvalidPath, "a part of the path is a file");
      return fail(file_error(errno));
    }
    parent = std::move(child);
  }
  return parent;
}

void prune_parents(int folder, std::vector<std::string> parts) {
  for (parts.pop_back(); !parts.empty(); parts.pop_back()) {
    const auto parent = open_parent(folder, parts);
    if (!parent || ::unlinkat(parent->get(), parts.back().c_str(), AT_REMOVEDIR) != 0) return;
  }
}

Kind kind_of(int folder, const std::string& name) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return Kind::kNone;
  return S_ISREG(info.st_mode) ? Kind::kFile : Kind::kOther;
}

}  // namespace braidlog::store
