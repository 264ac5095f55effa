#include "engine/fresh_sessions.h"

#include <utility>

namespace braidlog {

void FreshSessions::add(const api::Session& session) {
  const MutexLock lock(mutex_);
  sessions_.insert_or_assign(session.id, session);
  by_age_.push_back(session.id);
  if (by_age_.size() <= count_max_) return;
  sessions_.erase(by_age_.front());
  by_age_.pop_front();
}

std::optional<api::Session> FreshSessions::take(SessionId id) {
  const MutexLock lock(mutex_);
  auto found = sessions_.extract(id);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

}  // namespace braidlog
