// Looks at the write-ahead log before SQLite does. SQLite takes the first frame whose checksum is wrong for the end of
// the log: after a crash in a write that is right, but a bit that flipped in the middle would silently take every later
// commit with it. The two can be told apart. Checksums are chained, so what was written after a damaged frame still
// fits the checksum that stands in its header, or the one that its content has. The frames of one transaction may
// reach the disk in any order, but the next one is begun only when they are synced: so it is damage when a
// transaction follows the one that the broken frame is in. This holds where every commit is synced; where none is, a
// power cut may leave anything, and SQLite's way is the right one.
#pragma once

#include <string>

#include "base/result.h"

namespace braidlog::store {

// For a log whose commits were synced. kStorage when transactions stand behind a damaged one. A log that is missing,
// empty or torn at its end is fine. Changes nothing.
Status check_log(const std::string& log_path);

}  // namespace braidlog::store
