// What a stream has yet to be told of changed runs: the last word on each run, and of at most so many runs. A client
// that is slower than its runs change is told less often; one that has too many waiting is told that it missed some.
// Runs on: the io thread of its stream.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/run_notice.h"

namespace braidlog {

class NoticeQueue {
 public:
  explicit NoticeQueue(std::size_t runs_max) : runs_max_(runs_max) {}

  void add(const RunNotice& notice);
  bool empty() const { return order_.empty() && !missed_; }
  // Everything as frames, oldest run first; nothing waits then.
  std::string take_frames();

 private:
  struct Waiting {
    SessionId session_id;
    RunChange change;
  };
  const std::size_t runs_max_;
  std::unordered_map<RunId, Waiting> runs_;
  std::vector<RunId> order_;
  bool missed_ = false;
};

}  // namespace braidlog
