// Files that come with a message: the originals stay in the session's workspace, the text goes to the model. That of
// files which are no text is found later, in the run (engine/file_reader.h).
#pragma once

#include <vector>

#include "api/run.h"
#include "base/limits.h"
#include "port/text_extractor.h"
#include "port/workspace.h"

namespace braidlog {

struct KeptFiles {
  std::vector<Attachment> attachments;
  std::vector<std::string> written;  // those that were not there before
};

// Keeps each file under its own name, or under "name (2).txt" where another file has it. The same file once more (same
// name, same bytes) is the one that is there, so that a request which is tried again leaves nothing behind. Text over
// `attachment_text_bytes_max` is cut, and says so. Blocks.
Result<KeptFiles> keep_files(Workspace& workspace, SessionId session_id, const std::vector<api::AttachedFile>& files,
                             const Limits& limits);
// What a model is shown of a file whose text was found, cut in the same way.
std::string shown_text(const ExtractedText& found, const Limits& limits);
// Takes back what was written for a message that was not accepted. Blocks.
void take_back(Workspace& workspace, SessionId session_id, const std::vector<std::string>& written);

}  // namespace braidlog
