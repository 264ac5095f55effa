#include "tool/mcp/requests.h"

#include <algorithm>
#include <utility>

namespace braidlog::tool::mcp {

Requests::Requests(Loop& loop, UniqueFunction<void(std::int64_t)> on_timeout)
    : loop_(loop), on_timeout_(std::move(on_timeout)) {}

std::int64_t Requests::open(Patience patience, OnAnswer on_answer) {
  const auto id = next_++;
  Open& open = open_[id];
  open.on_answer = std::move(on_answer);
  open.patience = patience;
  open.deadline_ms = loop_.clock().mono().ms + std::max(patience.total, patience.silence).count();
  arm(id, open);
  return id;
}

void Requests::extend(std::int64_t id) {
  const auto found = open_.find(id);
  if (found != open_.end()) arm(id, found->second);
}

void Requests::arm(std::int64_t id, Open& open) {
  if (open.patience.silence.count() == 0) return;
  const std::chrono::milliseconds left(std::max<std::int64_t>(0, open.deadline_ms - loop_.clock().mono().ms));
  open.timer = loop_.after(std::min(open.patience.silence, left), [this, id] { time_out(id); });
}

void Requests::time_out(std::int64_t id) {
  on_timeout_(id);
  answer(id, Lost{Loss::kTimeout, "did not answer in time"});
}

void Requests::answer(std::int64_t id, Answer answer) {
  // Taken out first: this may be running inside its timer, and the callback may open others.
  auto found = open_.extract(id);
  if (!found.empty()) found.mapped().on_answer(std::move(answer));
}

void Requests::lose_all(const Lost& lost) {
  while (!open_.empty()) answer(open_.begin()->first, lost);
}

}  // namespace braidlog::tool::mcp
