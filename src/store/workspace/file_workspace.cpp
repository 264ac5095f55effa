#include "store/workspace/file_workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "store/workspace/file_info.h"
#include "store/workspace/tree.h"

namespace braidlog::store {

namespace {

// A sandbox may make more names than write() would; a walk stops here.
constexpr std::size_t kEntriesPerFileMax = 10;

tl::unexpected<Error> not_found() {
  return fail(ErrorCode::kFileNotFound, "no such file");
}

// Of a change that was made and that the disk did not take.
Error unconfirmed() {
  return {ErrorCode::kOutcomeUnknown, "the change was made, but the disk did not confirm it", {}};
}

// At most `bytes_max`, also when the file grows while it is read.
Status read_all(int file, std::size_t size, std::size_t bytes_max, std::string& content) {
  content.resize(size + 1);  // one more, to see the end
  std::size_t filled = 0;
  for (;;) {
    if (filled == content.size()) content.resize(std::min(content.size() * 2, bytes_max + 1));
    const ssize_t got = ::read(file, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file_error(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > bytes_max) return fail(ErrorCode::kTooLarge, "the file is too large");
  }
  content.resize(filled);
  return {};
}

}  // namespace

Result<std::unique_ptr<FileWorkspace>> FileWorkspace::open(const Options& options) {
  const std::string path = options.folder + "/workspaces";
  const auto failed = [] {
    return fail(ErrorCode::kStorage,
                std::string("the folder of the workspaces cannot be made: ") + std::strerror(errno));
  };
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed();
  Descriptor root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return failed();
  auto scratch = Scratch::open(root.get());
  if (!scratch) return fail(scratch.error());
  return std::unique_ptr<FileWorkspace>(new FileWorkspace(std::move(root), std::move(*scratch), options.limits));
}

Result<Descriptor> FileWorkspace::open_session(SessionId session) const {
  Descriptor folder = open_beneath(root_.get(), to_uuid(session).c_str(), O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return fail(file_error(errno));
  return folder;
}

Result<Descriptor> FileWorkspace::make_session(SessionId session) const {
  if (::mkdirat(root_.get(), to_uuid(session).c_str(), 0700) == 0) {
    if (::fsync(root_.get()) != 0) return fail(file_error(errno));
  } else if (errno != EEXIST) {
    return fail(file_error(errno));
  }
  return open_session(session);
}

Result<api::FileContent> FileWorkspace::read(SessionId session, std::string_view path, std::size_t bytes_max) {
  if (auto parts = split(path); !parts) return fail(parts.error());
  auto folder = open_session(session);
  if (!folder) return fail(folder.error());
  // O_NONBLOCK: the open of a FIFO must not wait for its other end.
  const Descriptor file = open_beneath(folder->get(), std::string(path).c_str(), O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) return fail(file_error(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return fail(file_error(errno));
  if (!S_ISREG(info.st_mode)) return not_found();
  if (static_cast<std::uint64_t>(info.st_size) > bytes_max) {
    return fail(ErrorCode::kTooLarge, "the file is too large");
  }
  api::FileContent out;
  if (auto status = read_all(file.get(), static_cast<std::size_t>(info.st_size), bytes_max, out.content); !status) {
    return fail(status.error());
  }
  out.info = file_info(std::string(path), info);
  out.info.size = out.content.size();
  return out;
}

Result<api::FileInfo> FileWorkspace::write(SessionId session, std::string_view path, std::string_view content) {
  const auto parts = split(path);
  if (!parts) return fail(parts.error());
  if (content.size() > limits_.workspace_file_bytes_max) return fail(ErrorCode::kTooLarge, "the file is too large");
  auto scratch_name = scratch_->write_file(content);  // the slow part, before the line
  if (!scratch_name) return fail(scratch_name.error());

  struct stat info {};
  Status status;
  {
    const std::lock_guard line(writer_of(session));
    const auto folder = make_session(session);
    status = folder ? place(folder->get(), *parts, *scratch_name) : Status(fail(folder.error()));
    if (status) {
      const Descriptor file = open_beneath(folder->get(), std::string(path).c_str(), O_RDONLY | O_NONBLOCK);
      if (!file.is_open() || ::fstat(file.get(), &info) != 0) status = fail(file_error(errno));
    }
  }
  if (!status) {
    scratch_->remove_file(*scratch_name);
    return fail(status.error());
  }
  return file_info(std::string(path), info);
}

Status FileWorkspace::place(int session, const Parts& parts, const std::string& scratch_name) const {
  if (auto status = check_room(session, parts); !status) return status;
  const auto parent = make_parent(session, parts);
  if (!parent) return fail(parent.error());
  if (kind_of(parent->get(), parts.back()) == Kind::kOther) {
    return fail(ErrorCode::kInvalidPath, "the path is no file of the workspace");
  }
  if (::renameat(scratch_->folder(), scratch_name.c_str(), parent->get(), parts.back().c_str()) != 0) {
    return fail(file_error(errno));
  }
  if (::fsync(parent->get()) != 0) return fail(unconfirmed());
  return {};
}

// A file that exists is replaced and takes no new place.
Status FileWorkspace::check_room(int session, const Parts& parts) const {
  const auto parent = open_parent(session, parts);
  if (parent && kind_of(parent->get(), parts.back()) == Kind::kFile) return {};
  api::FileList files;
  if (auto status = list_files(session, limits_.workspace_files_max * kEntriesPerFileMax, files); !status) {
    return status;
  }
  if (files.size() >= limits_.workspace_files_max) {
    return fail(ErrorCode::kLimitExceeded, "the workspace holds as many files as it may");
  }
  return {};
}

Status FileWorkspace::remove(SessionId session, std::string_view path) {
  const auto parts = split(path);
  if (!parts) return fail(parts.error());
  const std::lock_guard line(writer_of(session));
  const auto folder = open_session(session);
  if (!folder) return fail(folder.error());
  const auto parent = open_parent(folder->get(), *parts);
  if (!parent) return fail(parent.error());
  if (kind_of(parent->get(), parts->back()) != Kind::kFile) return not_found();
  if (::unlinkat(parent->get(), parts->back().c_str(), 0) != 0) return fail(file_error(errno));
  if (::fsync(parent->get()) != 0) return fail(unconfirmed());
  prune_parents(folder->get(), *parts);
  return {};
}

Status FileWorkspace::rename(SessionId session, std::string_view from, std::string_view to) {
  const auto source = split(from);
  if (!source) return fail(source.error());
  const auto target = split(to);
  if (!target) return fail(target.error());
  const std::lock_guard line(writer_of(session));
  const auto folder = open_session(session);
  if (!folder) return fail(folder.error());
  const auto source_parent = open_parent(folder->get(), *source);
  if (!source_parent) return fail(source_parent.error());
  if (kind_of(source_parent->get(), source->back()) != Kind::kFile) return not_found();
  const auto target_parent = make_parent(folder->get(), *target);
  if (!target_parent) return fail(target_parent.error());
  if (::renameat2(source_parent->get(), source->back().c_str(), target_parent->get(), target->back().c_str(),
                  RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return fail(ErrorCode::kInvalidState, "a file of that name exists");
    return fail(file_error(errno));
  }
  if (::fsync(target_parent->get()) != 0 || ::fsync(source_parent->get()) != 0) return fail(unconfirmed());
  prune_parents(folder->get(), *source);
  return {};
}

Result<api::FileList> FileWorkspace::list(SessionId session) {
  const auto folder = open_session(session);
  if (!folder) {
    if (folder.error().code == ErrorCode::kFileNotFound) return api::FileList{};  // nothing was ever written
    return fail(folder.error());
  }
  api::FileList files;
  if (auto status = list_files(folder->get(), limits_.workspace_files_max * kEntriesPerFileMax, files); !status) {
    return fail(status.error());
  }
  std::ranges::sort(files, {}, &api::FileInfo::path);
  return files;
}

Status FileWorkspace::remove_all(SessionId session) {
  const std::lock_guard line(writer_of(session));
  if (auto status = scratch_->remove_tree(root_.get(), to_uuid(session)); !status) return status;
  if (::fsync(root_.get()) != 0) return fail(file_error(errno));
  return {};
}

}  // namespace braidlog::store
