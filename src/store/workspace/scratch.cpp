#include "store/workspace/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace braidlog::store {

namespace {

constexpr const char* kName = ".scratch";  // no session is called so: their folders are uuids

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// The names in a folder, without "." and "..".
Status list_names(Descriptor folder, std::vector<std::string>& names) {
  std::unique_ptr<DIR, CloseFolder> stream(::fdopendir(folder.get()));
  if (!stream) return fail(file_error(errno));
  folder.release();
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return fail(file_error(errno));
  return {};
}

Status write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(file_error(errno));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return fail(file_error(errno));
  return {};
}

}  // namespace

Result<std::unique_ptr<Scratch>> Scratch::open(int root) {
  if (::mkdirat(root, kName, 0700) != 0 && errno != EEXIST) return fail(file_error(errno));
  Descriptor folder = open_beneath(root, kName, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return fail(file_error(errno));
  std::unique_ptr<Scratch> scratch(new Scratch(std::move(folder)));
  if (auto status = scratch->empty(); !status) return fail(status.error());
  return scratch;
}

Status Scratch::empty() {
  std::vector<std::string> left;
  Descriptor again = open_beneath(folder_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!again.is_open()) return fail(file_error(errno));
  if (auto status = list_names(std::move(again), left); !status) return status;
  for (const std::string& name : left) {
    if (auto status = remove_tree(folder_.get(), name); !status) return status;
  }
  return {};
}

std::string Scratch::next_name() {
  // The process id keeps names apart from what a crash left and could not be deleted.
  return std::to_string(::getpid()) + "-" + std::to_string(counter_.fetch_add(1, std::memory_order_relaxed));
}

Result<std::string> Scratch::write_file(std::string_view content) {
  const std::string name = next_name();
  const Descriptor file(
      ::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return fail(file_error(errno));
  if (auto status = write_all(file.get(), content); !status) {
    remove_file(name);
    return fail(status.error());
  }
  return name;
}

void Scratch::remove_file(const std::string& name) {
  ::unlinkat(folder_.get(), name.c_str(), 0);
}

Status Scratch::remove_tree(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return fail(file_error(errno));
  const auto taken = take_in(folder, name);
  if (!taken && taken.error().code == ErrorCode::kFileNotFound) return {};
  if (!taken) return fail(taken.error());
  std::vector<std::string> folders{*taken};
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    if (auto status = take_apart(next, folders); !status) return status;
  }
  return {};
}

Result<std::string> Scratch::take_in(int folder, const std::string& name) {
  std::string taken = next_name();
  if (::renameat(folder, name.c_str(), folder_.get(), taken.c_str()) == 0) return taken;
  // Moving a folder rewrites its "..", so it must be writable; code that ran in it may have locked it.
  if (errno == EACCES && ::fchmodat(folder, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW) == 0 &&
      ::renameat(folder, name.c_str(), folder_.get(), taken.c_str()) == 0) {
    return taken;
  }
  return fail(file_error(errno));
}

Status Scratch::take_apart(const std::string& name, std::vector<std::string>& found) {
  Descriptor folder = open_beneath(folder_.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
  if (!folder.is_open() && errno == EACCES && ::fchmodat(folder_.get(), name.c_str(), 0700, AT_SYMLINK_NOFOLLOW) == 0) {
    folder = open_beneath(folder_.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
  }
  if (!folder.is_open()) return fail(file_error(errno));
  ::fchmod(folder.get(), 0700);
  Descriptor listed(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
  std::vector<std::string> names;
  if (auto status = list_names(std::move(listed), names); !status) return status;
  for (const std::string& child : names) {
    if (::unlinkat(folder.get(), child.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM) return fail(file_error(errno));
    std::string moved = next_name();
    if (::renameat(folder.get(), child.c_str(), folder_.get(), moved.c_str()) != 0) return fail(file_error(errno));
    found.push_back(std::move(moved));
  }
  if (::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR) != 0) return fail(file_error(errno));
  return {};
}

}  // namespace braidlog::store
