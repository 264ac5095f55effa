// Finds the text of the files that came with a message and are no text themselves: takes the original from the
// session's workspace and has it read in a sandbox. A few at once; the others wait in their order, and a file that
// waits is not in memory. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/loop.h"
#include "event/run_event.h"
#include "port/text_extractor.h"
#include "port/workspace.h"

namespace braidlog {

// A file that is being read. Destroying it ends the work; `done` is then never called.
class FileReading {
 public:
  virtual ~FileReading() = default;
};

class FileReader {
 public:
  // All outlive the reader and what it reads. The pool is stopped before the loops go away.
  FileReader(Workspace& workspace, WorkerPool& pool, TextExtractor& extractor, const Limits& limits);
  ~FileReader();

  // `done` comes once, on `loop`, never from inside read(). Errors as TextExtractor's, and those of the workspace.
  [[nodiscard]] std::unique_ptr<FileReading> read(SessionId session_id, const Attachment& file,
                                                  std::chrono::milliseconds time_max, Loop& loop,
                                                  UniqueFunction<void(Result<ExtractedText>)> done);

  struct Shared;  // with what is being read

 private:
  const std::shared_ptr<Shared> shared_;
};

}  // namespace braidlog
