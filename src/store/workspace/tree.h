// Walking and growing the folders of one workspace.
#pragma once

#include <string>
#include <vector>

#include "api/file.h"
#include "base/result.h"
#include "store/workspace/beneath.h"

namespace braidlog::store {

// Every regular file below `folder` with a name that a path may have, unsorted. Links, devices and deeper
// folders than a path can name are passed over. kLimitExceeded after `entries_max` names.
Status list_files(int folder, std::size_t entries_max, api::FileList& files);

// The folder that holds the last of `parts`; kFileNotFound when a part of the way is missing or no folder.
Result<Descriptor> open_parent(int folder, const std::vector<std::string>& parts);

// The same, making what is missing, durably. kInvalidPath when a part of the way is a file or a link.
Result<Descriptor> make_parent(int folder, const std::vector<std::string>& parts);

// Deletes the folders on the way to `parts` that are empty, innermost first.
void prune_parents(int folder, std::vector<std::string> parts);

enum class Kind { kNone, kFile, kOther };
// What stands under a name; a link is kOther.
Kind kind_of(int folder, const std::string& name);

}  // namespace braidlog::store
