// Looks at the write-ahead log before SQLite does. SQLite takes the first frame whose checksum is wrong for the end of
// the log: after a crash in a write that is right, but a bit that flipped in the middle would silently take every later
// commit with it. The two can be told apart. Checksums are chained, so a frame that was written after a damaged one
// still fits the checksum that stands in the damaged one's header, or the one that its content has; behind a torn
// write nothing does.
#pragma once

#include <string>

#include "base/result.h"

namespace braidlog::store {

// kStorage when commits stand behind a damaged frame, or the file cannot be read. A log that is missing, empty or torn
// at its end is fine. Changes nothing.
Status check_log(const std::string& log_path);

}  // namespace braidlog::store
