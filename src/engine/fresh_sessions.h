// Sessions that were made a moment ago and in which nothing has happened yet. The first message mostly follows at once,
// and needs no look into the store: all of such a session is known. What is known may be out of date by then; the store
// looks again in the transaction that makes the run (NewRun), and then the session is read.
//
// Thread-safe.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>

#include "api/session.h"
#include "base/ids.h"
#include "base/thread_annotations.h"

namespace braidlog {

class FreshSessions {
 public:
  explicit FreshSessions(std::size_t count_max = 8192) : count_max_(count_max) {}

  // On its way to the store: nobody knows its id yet. The oldest are forgotten when there are too many.
  void add(const api::Session& session);
  // Once: after it something has happened in the session.
  std::optional<api::Session> take(SessionId id);
  // The session is about to be changed, or deleted.
  void forget(SessionId id) { (void)take(id); }

 private:
  const std::size_t count_max_;
  Mutex mutex_;
  std::unordered_map<SessionId, api::Session> sessions_ GUARDED_BY(mutex_);
  std::deque<SessionId> by_age_ GUARDED_BY(mutex_);  // those that were taken are among them
};

}  // namespace braidlog
