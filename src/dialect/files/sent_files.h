// The files that come with a message: from what the client sent to what the run may have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/run.h"
#include "base/limits.h"
#include "base/result.h"

namespace braidlog::files {

enum class FileCoding { kNone, kBase64 };

// As it stands in the request; `content` points into its body.
struct SentFile {
  std::optional<std::string> name;
  std::string claimed_type;
  std::string_view content;
  FileCoding coding = FileCoding::kNone;
};

// Looks at all files in each of these respects before it goes on to the next: names (kBadField), count (kBadField),
// size (kTooLarge), base64 (kBadField), emptiness (kBadField), type by content (kUnsupportedMedia) and whether a
// file of that type can be opened and is not too much (kBadFile). From the size on every error names its file.
//
// A name is a label: 1 to 255 bytes of UTF-8 on one line, without the slashes and dots that make a path. A file
// without one is called file-1, file-2 and so on. Two may have the same name. The bytes stay as they were sent, a byte
// order mark among them; alone it is an empty file.
Result<std::vector<api::AttachedFile>> check_files(const std::vector<SentFile>& sent, const Limits& limits);

// Equal contents have equal digests. Not for secrets: who makes two files with the same digest deceives only the
// requests under his own idempotency key.
std::string digest_of(const api::AttachedFile& file);

}  // namespace braidlog::files
