#include "tool/files/file_tools.h"

#include <string>
#include <utility>

#include "base/utf8.h"
#include "tool/call.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kShownPathBytesMax = 200;

constexpr const char* kPathSchema =
    R"({"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":1024,)"
    R"("description":"Path of the file, relative to the workspace"}},"required":["path"],"additionalProperties":false})";
constexpr const char* kNothingSchema = R"({"type":"object","properties":{},"additionalProperties":false})";
constexpr const char* kWriteSchema =
    R"({"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":1024,)"
    R"("description":"Path of the file, relative to the workspace"},"content":{"type":"string",)"
    R"("description":"The whole new text of the file"}},"required":["path","content"],"additionalProperties":false})";
constexpr const char* kRenameSchema =
    R"({"type":"object","properties":{"from":{"type":"string","minLength":1,"maxLength":1024,)"
    R"("description":"Present path"},"to":{"type":"string","minLength":1,"maxLength":1024,)"
    R"("description":"New path; must not exist yet"}},"required":["from","to"],"additionalProperties":false})";

ToolSpec spec_of(std::string name, std::string description, std::string schema, bool writes) {
  ToolSpec spec;
  spec.name = std::move(name);
  spec.description = std::move(description);
  spec.parameters_json = std::move(schema);
  spec.writes = writes;
  return spec;
}

// Says what went wrong without the words of the workspace, which may know more than a model should.
std::string words_for(ErrorCode code) {
  if (code == ErrorCode::kFileNotFound) return "no such file";
  if (code == ErrorCode::kInvalidPath) return "not a path inside the workspace";
  if (code == ErrorCode::kTooLarge) return "too large";
  if (code == ErrorCode::kLimitExceeded) return "the workspace holds too many files";
  if (code == ErrorCode::kInvalidState) return "exists already";
  if (code == ErrorCode::kOutcomeUnknown) return "done, but the disk did not confirm it; its outcome is unknown";
  return "the workspace could not do it";
}

ToolOutcome refusal(const Error& error, std::string_view path) {
  const bool unknown = error.code == ErrorCode::kOutcomeUnknown;
  return ToolOutcome::error(unknown ? ToolStatus::kOutcomeUnknown : ToolStatus::kToolError,
                            std::string(utf8_prefix(path, kShownPathBytesMax)) + ": " + words_for(error.code));
}

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos && is_valid_utf8(content);
}

ToolOutcome read_file(const FileToolContext& context, SessionId session, const std::string& path) {
  auto file = context.workspace.read(session, path, context.file_bytes_max);
  if (!file) return refusal(file.error(), path);
  std::string& content = file->content;
  const std::string size = std::to_string(content.size());
  if (!is_text(content)) {
    return ToolOutcome::error(ToolStatus::kToolError,
                              std::string(utf8_prefix(path, kShownPathBytesMax)) + ": binary file, " + size + " bytes");
  }
  if (content.size() > context.text_bytes_max) {
    content.resize(utf8_prefix(content, context.text_bytes_max).size());
    const std::string shown = std::to_string(content.size());
    content += "\n[cut here: the first " + shown + " of " + size + " bytes]";
  }
  return ToolOutcome::ok(json::string(content));
}

ToolOutcome list_files(const FileToolContext& context, SessionId session) {
  auto files = context.workspace.list(session);
  if (!files) return refusal(files.error(), "the workspace");
  json::array value;
  std::string text;
  for (const auto& file : *files) {
    value.push_back(json::object{{"path", file.path}, {"size", file.size}});
    if (text.size() > context.text_bytes_max) continue;
    if (!text.empty()) text += '\n';
    text += file.path + " (" + std::to_string(file.size) + (file.size == 1 ? " byte)" : " bytes)");
  }
  if (files->empty()) text = "The workspace has no files.";
  return {ToolStatus::kOk, std::move(value), std::move(text)};
}

ToolOutcome write_file(const FileToolContext& context, SessionId session, const std::string& path,
                       const std::string& content) {
  auto written = context.workspace.write(session, path, content);
  if (!written) return refusal(written.error(), path);
  return ToolOutcome::ok(
      json::string("Successfully wrote " + std::to_string(count_code_points(content)) + " characters to " + path));
}

ToolOutcome rename_file(const FileToolContext& context, SessionId session, const std::string& from,
                        const std::string& to) {
  auto renamed = context.workspace.rename(session, from, to);
  if (renamed) return ToolOutcome::ok(json::string("Renamed " + from + " to " + to));
  if (renamed.error().code == ErrorCode::kFileNotFound) return refusal(renamed.error(), from);
  // The workspace does not say which of two paths is the bad one.
  if (renamed.error().code == ErrorCode::kInvalidPath) return refusal(renamed.error(), from + " or " + to);
  return refusal(renamed.error(), to);
}

}  // namespace

FileRead::FileRead(FileToolContext context)
    : SchemaTool(spec_of("file_read", "Reads a text file of the workspace.", kPathSchema, false)), context_(context) {}

std::unique_ptr<ToolRun> FileRead::start(ToolInvocation invocation, Loop& loop,
                                         UniqueFunction<void(ToolOutcome)> done) {
  return run_on_pool(
      context_.pool, loop,
      [context = context_, session = invocation.session_id, path = string_argument(invocation.args, "path")] {
        return read_file(context, session, path);
      },
      std::move(done));
}

FileList::FileList(FileToolContext context)
    : SchemaTool(spec_of("file_list", "Lists the files of the workspace with their sizes.", kNothingSchema, false)),
      context_(context) {}

std::unique_ptr<ToolRun> FileList::start(ToolInvocation invocation, Loop& loop,
                                         UniqueFunction<void(ToolOutcome)> done) {
  return run_on_pool(
      context_.pool, loop,
      [context = context_, session = invocation.session_id] { return list_files(context, session); }, std::move(done));
}

FileWrite::FileWrite(FileToolContext context)
    : SchemaTool(spec_of("file_write", "Writes a text file of the workspace; replaces a file of that path.",
                         kWriteSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> FileWrite::start(ToolInvocation invocation, Loop& loop,
                                          UniqueFunction<void(ToolOutcome)> done) {
  return run_on_pool(
      context_.pool, loop,
      [context = context_, session = invocation.session_id, path = string_argument(invocation.args, "path"),
       content = string_argument(invocation.args, "content")] { return write_file(context, session, path, content); },
      std::move(done));
}

FileRename::FileRename(FileToolContext context)
    : SchemaTool(spec_of("file_rename", "Renames or moves a file of the workspace.", kRenameSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> FileRename::start(ToolInvocation invocation, Loop& loop,
                                           UniqueFunction<void(ToolOutcome)> done) {
  return run_on_pool(
      context_.pool, loop,
      [context = context_, session = invocation.session_id, from = string_argument(invocation.args, "from"),
       to = string_argument(invocation.args, "to")] { return rename_file(context, session, from, to); },
      std::move(done));
}

}  // namespace braidlog::tool
