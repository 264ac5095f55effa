#include "server/notice_queue.h"

#include <utility>

namespace braidlog {

void NoticeQueue::add(const RunNotice& notice) {
  if (missed_) return;  // everything is read anew
  const auto [at, is_new] = runs_.try_emplace(notice.run_id, Waiting{notice.session_id, notice.change});
  if (is_new && order_.size() == runs_max_) {
    missed_ = true;
    runs_.clear();
    order_.clear();
    return;
  }
  if (is_new) return order_.push_back(notice.run_id);
  RunChange& change = at->second.change;
  change.status = notice.change.status;
  change.run |= notice.change.run;
  change.approvals |= notice.change.approvals;
  change.tasks |= notice.change.tasks;
  change.items |= notice.change.items;
}

std::string NoticeQueue::take_frames() {
  std::string frames = std::exchange(missed_, false) ? log::missed_frame() : std::string();
  for (const RunId run_id : order_) {
    const auto& [session_id, change] = runs_.at(run_id);
    const log::ChangedRun run{run_id, session_id, change.status};
    if (change.run) frames += log::changed_frame(run, "run");
    if (change.approvals) frames += log::changed_frame(run, "approvals");
    if (change.tasks) frames += log::changed_frame(run, "tasks");
    if (change.items) frames += log::changed_frame(run, "items");
  }
  runs_.clear();
  order_.clear();
  return frames;
}

}  // namespace braidlog
