// A Workspace in memory, for the tests of tools. It knows which paths leave the workspace by their text alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "port/workspace.h"

namespace braidlog::tool::testing {

class MemoryWorkspace final : public Workspace {
 public:
  Result<api::FileContent> read(SessionId session, std::string_view path, std::size_t bytes_max) override {
    if (auto bad = refuse(path)) return fail(*bad);
    const auto found = files_.find({session, std::string(path)});
    if (found == files_.end()) return fail(ErrorCode::kFileNotFound, "/host/path is not there");
    if (found->second.size() > bytes_max) return fail(ErrorCode::kTooLarge, "/host/path is too large");
    return api::FileContent{info(*found), found->second};
  }
  Result<api::FileInfo> write(SessionId session, std::string_view path, std::string_view content) override {
    if (auto bad = refuse(path)) return fail(*bad);
    ++writes_;
    return info(*files_.insert_or_assign({session, std::string(path)}, std::string(content)).first);
  }
  Status rename(SessionId session, std::string_view from, std::string_view to) override {
    if (auto bad = refuse(from)) return fail(*bad);
    if (auto bad = refuse(to)) return fail(*bad);
    const auto found = files_.find({session, std::string(from)});
    if (found == files_.end()) return fail(ErrorCode::kFileNotFound, "/host/path is not there");
    if (files_.contains({session, std::string(to)})) return fail(ErrorCode::kInvalidState, "/host/path exists");
    auto node = files_.extract(found);
    node.key().second = to;
    files_.insert(std::move(node));
    return {};
  }
  Status remove(SessionId session, std::string_view path) override {
    if (auto refused = refuse(path)) return fail(*refused);
    if (files_.erase({session, std::string(path)}) == 0)
      return fail(ErrorCode::kFileNotFound, "/host/path is not there");
    return {};
  }
  Result<api::FileList> list(SessionId session) override {
    if (failure_) return fail(*failure_);
    api::FileList files;
    for (const auto& entry : files_) {
      if (entry.first.first == session) files.push_back(info(entry));
    }
    return files;
  }
  Status remove_all(SessionId session) override {
    std::erase_if(files_, [&](const auto& entry) { return entry.first.first == session; });
    return {};
  }

  // Everything fails with this from now on.
  void break_with(ErrorCode code) { failure_ = Error{code, "/host/path is broken", {}}; }
  int writes() const { return writes_; }

 private:
  using Files = std::map<std::pair<SessionId, std::string>, std::string>;

  std::optional<Error> refuse(std::string_view path) const {
    if (failure_) return failure_;
    const bool leaves = path.empty() || path.starts_with('/') || path.find("..") != std::string_view::npos;
    return leaves ? std::optional<Error>(Error{ErrorCode::kInvalidPath, "/host/path", {}}) : std::nullopt;
  }
  static api::FileInfo info(const Files::value_type& entry) {
    return {entry.first.second, entry.second.size(), WallTime{}};
  }

  Files files_;
  std::optional<Error> failure_;
  int writes_ = 0;
};

}  // namespace braidlog::tool::testing
