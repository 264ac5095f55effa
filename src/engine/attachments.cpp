#include "engine/attachments.h"

#include "base/utf8.h"

namespace braidlog {

namespace {

constexpr int kNamesTried = 100;

// "notes.txt" -> "notes (2).txt"
std::string numbered(const std::string& name, int number) {
  if (number == 1) return name;
  const auto dot = name.rfind('.');
  const auto stem = dot == std::string::npos || dot == 0 ? name.size() : dot;
  return name.substr(0, stem) + " (" + std::to_string(number) + ")" + name.substr(stem);
}

Result<std::string> keep_file(Workspace& workspace, SessionId session_id, const api::AttachedFile& file) {
  for (int number = 1; number <= kNamesTried; ++number) {
    const std::string name = numbered(file.name, number);
    const auto there = workspace.read(session_id, name, file.content.size());
    if (there && there->content == file.content) return name;
    if (there || there.error().code == ErrorCode::kTooLarge) continue;  // another file of that name
    if (there.error().code != ErrorCode::kFileNotFound) return fail(there.error());
    if (auto written = workspace.write(session_id, name, file.content); !written) return fail(written.error());
    return name;
  }
  return fail(ErrorCode::kLimitExceeded, "Too many files are named " + file.name, file.name);
}

// Without the byte order mark, which tells a model nothing.
std::string text_of(const api::AttachedFile& file, std::size_t bytes_max) {
  std::string_view content = file.content;
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  const std::string_view kept = utf8_prefix(content, bytes_max);
  std::string text(kept);
  if (kept.size() < content.size()) {
    text += "\n[The file goes on; " + std::to_string(content.size() - kept.size()) + " bytes were cut here.]";
  }
  return text;
}

}  // namespace

Result<std::vector<Attachment>> keep_files(Workspace& workspace, SessionId session_id,
                                           const std::vector<api::AttachedFile>& files, const Limits& limits) {
  std::vector<Attachment> attachments;
  for (const auto& file : files) {
    auto name = keep_file(workspace, session_id, file);
    if (!name) return fail(std::move(name.error()));
    attachments.push_back(
        {std::move(*name), file.media_type, file.content.size(), text_of(file, limits.attachment_text_bytes_max)});
  }
  return attachments;
}

}  // namespace braidlog
