// The tools on the files of a session's workspace. Each does its work on the worker pool; `workspace` and
// `pool` outlive the tool and every call of it. What goes wrong is told in plain words with the path as the
// model gave it, never with a path of the host.
#pragma once

#include <cstddef>

#include "base/loop.h"
#include "port/workspace.h"
#include "tool/schema.h"

namespace braidlog::tool {

struct FileToolContext {
  Workspace& workspace;
  WorkerPool& pool;
  std::size_t file_bytes_max;  // a larger file is not read at all
  std::size_t text_bytes_max;  // a longer text is cut, with a mark
};

// file_read {path}: the text of a file. A file that is no text is refused with its size.
class FileRead final : public SchemaTool {
 public:
  explicit FileRead(FileToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  FileToolContext context_;
};

// file_list {}: every file with its size; the value is [{path,size}].
class FileList final : public SchemaTool {
 public:
  explicit FileList(FileToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  FileToolContext context_;
};

// file_write {path, content}: makes or replaces a file. Writes, and is not idempotent: run again after a
// crash it could undo what somebody else wrote in between.
class FileWrite final : public SchemaTool {
 public:
  explicit FileWrite(FileToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  FileToolContext context_;
};

// file_rename {from, to}: an existing `to` is refused. Writes.
class FileRename final : public SchemaTool {
 public:
  explicit FileRename(FileToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  FileToolContext context_;
};

}  // namespace braidlog::tool
