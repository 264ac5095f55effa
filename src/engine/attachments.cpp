#include "engine/attachments.h"

#include "base/log.h"
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

struct KeptFile {
  std::string name;
  bool is_new = false;
};
Result<KeptFile> keep_file(Workspace& workspace, SessionId session_id, const api::AttachedFile& file) {
  for (int number = 1; number <= kNamesTried; ++number) {
    const std::string name = numbered(file.name, number);
    const auto there = workspace.read(session_id, name, file.content.size());
    if (there && there->content == file.content) return KeptFile{name, false};
    if (there || there.error().code == ErrorCode::kTooLarge) continue;  // another file of that name
    if (there.error().code != ErrorCode::kFileNotFound) return fail(there.error());
    if (auto written = workspace.write(session_id, name, file.content); !written) return fail(written.error());
    return KeptFile{name, true};
  }
  return fail(ErrorCode::kLimitExceeded, "Too many files are named " + file.name, file.name);
}

std::string cut_text(std::string_view content, std::size_t bytes_max) {
  const std::string_view kept = utf8_prefix(content, bytes_max);
  std::string text(kept);
  if (kept.size() < content.size()) {
    text += "\n[The file goes on; " + std::to_string(content.size() - kept.size()) + " bytes were cut here.]";
  }
  return text;
}

std::string text_of(const api::AttachedFile& file, std::size_t bytes_max) {
  std::string_view content = file.content;
  if (!file.media_type.starts_with("text/")) return {};
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  return cut_text(content, bytes_max);
}

}  // namespace

std::string shown_text(const ExtractedText& found, const Limits& limits) {
  std::string text =
      found.text.empty() ? "[No text was found in this file.]" : cut_text(found.text, limits.attachment_text_bytes_max);
  if (!found.left_out.empty()) text += "\n[" + found.left_out + "]";
  return text;
}

Result<KeptFiles> keep_files(Workspace& workspace, SessionId session_id, const std::vector<api::AttachedFile>& files,
                             const Limits& limits) {
  KeptFiles kept;
  for (const auto& file : files) {
    auto one = keep_file(workspace, session_id, file);
    if (!one) {
      take_back(workspace, session_id, kept.written);
      return fail(std::move(one.error()));
    }
    if (one->is_new) kept.written.push_back(one->name);
    kept.attachments.push_back(
        {std::move(one->name), file.media_type, file.content.size(), text_of(file, limits.attachment_text_bytes_max)});
  }
  return kept;
}

void take_back(Workspace& workspace, SessionId session_id, const std::vector<std::string>& written) {
  for (const auto& name : written) {
    if (auto removed = workspace.remove(session_id, name); !removed) {
      log_warn("a file of a refused message stays behind", {{"error", removed.error().message}});
    }
  }
}

}  // namespace braidlog
