// That something of a run is another, for whoever shows lists: told by the thread of the run to every stream that
// asked.
#pragma once

#include <string>

#include "dialect/log/watch_frames.h"
#include "runlog/run_log.h"

namespace braidlog {

struct RunNotice {
  RunId run_id;
  SessionId session_id;
  std::string user_id;
  RunChange change;
};

}  // namespace braidlog
