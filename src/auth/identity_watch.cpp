#include "auth/identity_watch.h"

#include "base/log.h"

namespace braidlog::auth {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{50};
constexpr milliseconds kWriteEvery{60'000};

}  // namespace

Result<std::size_t> IdentityWatch::load() {
  seen_ = notice_.changed();
  auto users = identities_.reload();
  if (users) notice_.set_seen(seen_);
  return users;
}

void IdentityWatch::begin() {
  written_at_ = loop_.clock().mono();
  look();
}

void IdentityWatch::look() {
  identities_.end_expired();
  if (!is_busy_) {
    if (const auto changed = notice_.changed(); changed != seen_) {
      take_up(changed);
    } else if (loop_.clock().mono().ms - written_at_.ms >= kWriteEvery.count()) {
      write_down();
    }
  }
  next_ = loop_.after(kLookEvery, [this] { look(); });
}

void IdentityWatch::take_up(std::uint64_t changed) {
  is_busy_ = true;
  pool_.run([this, changed] {
    const auto users = identities_.reload();
    if (users) notice_.set_seen(changed);
    loop_.post([this, changed, read = users ? Status() : Status(fail(users.error()))] {
      if (read) seen_ = changed;  // else the next look tries again
      done("users and keys cannot be read", read);
    });
  });
}

void IdentityWatch::write_down() {
  is_busy_ = true;
  written_at_ = loop_.clock().mono();
  pool_.run([this] {
    loop_.post([this, written = identities_.write_down()] {
      done("the last use of cookies and keys cannot be written down", written);
    });
  });
}

// A store that fails is said once.
void IdentityWatch::done(const char* complaint, const Status& status) {
  is_busy_ = false;
  if (!status && !has_complained_) log_warn(complaint, {{"error", status.error().message}});
  has_complained_ = !status;
}

}  // namespace braidlog::auth
