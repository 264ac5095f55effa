// Keeps Identities up with the world: takes up what a command has changed, ends what has run out of time, and writes
// down now and then what was used. Runs on: one io thread; what blocks goes to the worker pool.
#pragma once

#include <cstdint>

#include "auth/change_notice.h"
#include "auth/identities.h"
#include "base/loop.h"

namespace braidlog::auth {

class IdentityWatch {
 public:
  // All outlive this and what it gave to the pool.
  IdentityWatch(Loop& loop, WorkerPool& pool, Identities& identities, ChangeNotice& notice)
      : loop_(loop), pool_(pool), identities_(identities), notice_(notice) {}

  // Before the first request; blocks. How many users there are.
  Result<std::size_t> load();
  // Looks now, and again and again until this is destroyed. On its loop, which runs nothing of this any more by then.
  void begin();

 private:
  void look();
  void take_up(std::uint64_t changed);
  void write_down();
  void done(const char* complaint, const Status& status);

  Loop& loop_;
  WorkerPool& pool_;
  Identities& identities_;
  ChangeNotice& notice_;
  std::uint64_t seen_ = 0;
  bool is_busy_ = false;  // with the store; one thing at a time
  bool has_complained_ = false;
  MonoTime written_at_;
  Timer next_;
};

}  // namespace braidlog::auth
