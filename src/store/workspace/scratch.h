// The folder beside the workspaces where a file is written before it takes its name, and where a workspace
// goes to be deleted. Both steps into and out of it are one rename, so a workspace never shows half a file,
// and what a crash leaves behind is in one place.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/workspace/beneath.h"

namespace braidlog::store {

// Thread-safe.
class Scratch {
 public:
  // Makes the folder in `root` and deletes what an earlier process left in it.
  static Result<std::unique_ptr<Scratch>> open(int root);

  // Writes a new file and syncs it; its name in the scratch folder.
  Result<std::string> write_file(std::string_view content);
  void remove_file(const std::string& name);

  // Deletes `name` in `folder` with everything in it, whatever it is and however deep. What is already gone
  // is no error. A tree is taken apart by moving its folders up here, one by one: it needs neither recursion
  // nor one descriptor per level, and no path is ever followed down.
  Status remove_tree(int folder, const std::string& name);

  int folder() const { return folder_.get(); }

 private:
  explicit Scratch(Descriptor folder) : folder_(std::move(folder)) {}
  std::string next_name();
  // Moves a folder here, under a new name that it gives. kFileNotFound when there is none.
  Result<std::string> take_in(int folder, const std::string& name);
  // Moves the sub-folders of `name` (in the scratch folder) beside it and deletes the rest; then `name`
  // itself.
  Status take_apart(const std::string& name, std::vector<std::string>& found);
  Status empty();

  Descriptor folder_;
  std::atomic<std::uint64_t> counter_{0};
};

}  // namespace braidlog::store
