#include "agent/knowledge_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "net/unique_fd.h"

namespace braidlog::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFilesMax = 1'000;
constexpr std::size_t kEntriesMax = 20'000;  // of whatever kind: a folder that is not meant for this
constexpr std::size_t kFileBytesMax = 1024 * 1024;
constexpr std::size_t kTotalBytesMax = 16 * 1024 * 1024;
constexpr std::size_t kDepthMax = 8;

UniqueFd open_beneath(int folder, const std::string& path, int flags) {
  open_how how{};
  // Without O_NONBLOCK the opening of a FIFO would wait for its writer.
  how.flags = static_cast<std::uint64_t>(flags | O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    // EAGAIN: the tree was renamed under the walk.
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN) || attempt == 100) return UniqueFd(static_cast<int>(fd));
  }
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

class Reader {
 public:
  Reader(UniqueFd root, std::string shown) : root_(std::move(root)), shown_(std::move(shown)) {}

  Result<api::KnowledgeDocuments> read() {
    if (auto listed = list("", 0); !listed) return fail(std::move(listed.error()));
    if (names_.empty()) return broken("has no .md or .txt file");
    std::sort(names_.begin(), names_.end());
    for (const auto& name : names_) {
      if (auto taken = read_file(name); !taken) return fail(std::move(taken.error()));
    }
    return std::move(documents_);
  }

 private:
  tl::unexpected<Error> broken(const std::string& what) const {
    return fail(ErrorCode::kBadField, "knowledge folder '" + shown_ + "' " + what);
  }
  tl::unexpected<Error> broken_file(const std::string& name, const std::string& what) const {
    return broken("has a file '" + name + "' that " + what);
  }

  // `below` is empty or ends with a slash.
  Status list(const std::string& below, std::size_t depth) {
    if (depth > kDepthMax) return broken("is deeper than " + std::to_string(kDepthMax) + " folders");
    UniqueFd fd = open_beneath(root_.get(), below.empty() ? "." : below, O_DIRECTORY);
    const std::unique_ptr<DIR, CloseFolder> folder(fd.get() < 0 ? nullptr : ::fdopendir(fd.get()));
    if (folder == nullptr) return broken("cannot be read");
    (void)fd.release();  // is the folder's now
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string name = entry->d_name;
      if (name.starts_with('.')) continue;
      if (++entries_ > kEntriesMax) return broken("has too many entries");
      if (auto taken = take_entry(folder.get(), below + name, name, depth); !taken) return taken;
    }
    return {};
  }

  Status take_entry(DIR* folder, const std::string& path, const std::string& name, std::size_t depth) {
    struct stat info {};
    if (::fstatat(::dirfd(folder), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};  // gone meanwhile
    if (S_ISDIR(info.st_mode)) return list(path + "/", depth + 1);
    if (!name.ends_with(".md") && !name.ends_with(".txt")) return {};
    if (!is_valid_utf8(path)) return broken("has a file whose name is not valid UTF-8");
    if (names_.size() == kFilesMax) return broken("has more than " + std::to_string(kFilesMax) + " files");
    names_.push_back(path);
    return {};
  }

  Status read_file(const std::string& name) {
    const UniqueFd fd = open_beneath(root_.get(), name, 0);
    if (fd.get() < 0) {
      return broken_file(name, errno == EXDEV || errno == ELOOP ? "leads out of it" : "cannot be read");
    }
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return broken_file(name, "is not a file");
    std::string text;
    std::array<char, 64 * 1024> buffer;
    for (;;) {
      const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return broken_file(name, "cannot be read");
      if (count == 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (text.size() > kFileBytesMax) return broken_file(name, "is larger than 1 MiB");
    }
    if (!is_valid_utf8(text)) return broken_file(name, "is not valid UTF-8");
    total_bytes_ += text.size();
    if (total_bytes_ > kTotalBytesMax) return broken("is larger than 16 MiB");
    documents_.push_back({name, std::move(text)});
    return {};
  }

  UniqueFd root_;
  std::string shown_;
  std::size_t entries_ = 0;
  std::size_t total_bytes_ = 0;
  std::vector<std::string> names_;
  api::KnowledgeDocuments documents_;
};

}  // namespace

Result<std::shared_ptr<const api::KnowledgeDocuments>> read_knowledge_folder(const fs::path& folder,
                                                                             const std::string& name) {
  const auto broken = [&](const std::string& what) {
    return fail(ErrorCode::kBadField, "knowledge folder '" + name + "' " + what);
  };
  if (name.find('\0') != std::string::npos) return broken("is not there");
  const UniqueFd home(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd root = open_beneath(home.get(), name, O_DIRECTORY);
  if (root.get() < 0) {
    if (errno == EXDEV || errno == ELOOP) return broken("must be inside the agent's folder");
    if (errno == ENOTDIR) return broken("is not a folder");
    return broken(errno == ENOENT ? "is not there" : "cannot be read");
  }
  auto documents = Reader(std::move(root), name).read();
  if (!documents) return fail(std::move(documents.error()));
  return std::make_shared<const api::KnowledgeDocuments>(std::move(*documents));
}

}  // namespace braidlog::agent
