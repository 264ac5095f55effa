// How much one user may ask for: runs at once, and runs begun in a stretch of time. Whoever goes over is told when to
// come back; the others do not notice. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "api/caller.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/thread_annotations.h"

namespace braidlog {

class UserBudgets {
 public:
  explicit UserBudgets(const Limits& limits) : limits_(limits) {}

  // A run's place in its user's budget, given back when it is destroyed. The budgets outlive it.
  class Place {
   public:
    Place() = default;
    Place(UserBudgets& budgets, std::string user_id) : budgets_(&budgets), user_id_(std::move(user_id)) {}
    ~Place() { give_back(); }
    Place(Place&& other) noexcept
        : budgets_(std::exchange(other.budgets_, nullptr)), user_id_(std::move(other.user_id_)) {}
    Place& operator=(Place&& other) noexcept {
      give_back();
      budgets_ = std::exchange(other.budgets_, nullptr);
      user_id_ = std::move(other.user_id_);
      return *this;
    }

   private:
    void give_back() {
      if (budgets_ != nullptr) budgets_->give_back(user_id_);
      budgets_ = nullptr;
    }
    UserBudgets* budgets_ = nullptr;
    std::string user_id_;
  };

  // kRateLimited with the seconds to wait as subject. The one user of --dev, who shows no credential, has no budget.
  Result<Place> take(const api::Caller& caller, MonoTime now);
  // For a run that a restart left unfinished: it has its place, whatever the limit.
  Place keep(const std::string& user_id);

 private:
  struct Account {
    std::size_t live = 0;
    double starts_left = 0;  // a bucket that fills up again
    MonoTime filled_at;
  };
  void give_back(const std::string& user_id);
  void refill(Account& account, MonoTime now) REQUIRES(mutex_);
  void forget_idle(MonoTime now) REQUIRES(mutex_);

  const Limits& limits_;
  Mutex mutex_;
  std::unordered_map<std::string, Account> accounts_ GUARDED_BY(mutex_);
};

}  // namespace braidlog
