#include "app/identity_access.h"

#include <chrono>
#include <thread>
#include <utility>

namespace braidlog::app {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPatience{10'000};  // a server that recovers many runs takes its time before it answers
constexpr milliseconds kServerPatience{2'000};
constexpr milliseconds kLook{10};

// Looks until `done` says so. False when the time is over.
template <class Done>
bool wait_until(milliseconds patience, Done done) {
  const auto deadline = steady_clock::now() + patience;
  while (!done()) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<IdentityAccess>> IdentityAccess::open(const std::string& data) {
  // Either the folder is ours, or a server has it and says so; in between somebody is coming or going.
  Status problem;
  std::optional<store::DataFolder> folder;
  std::optional<auth::ChangeNotice> notice;
  const bool decided = wait_until(kPatience, [&] {
    auto tried = store::DataFolder::try_open(data);
    if (!tried) return problem = fail(tried.error()), true;
    if (*tried) folder.emplace(std::move(**tried));
    auto opened = auth::ChangeNotice::open(data);
    if (!opened) return problem = fail(opened.error()), true;
    notice.emplace(std::move(*opened));
    return folder || notice->is_served();
  });
  if (!problem) return fail(problem.error());
  if (!decided) {
    return fail(ErrorCode::kStorage, "the data folder is in use, but its server does not answer; try again later");
  }
  if (folder) {
    if (auto ready = store::SqliteIdentityStore::make_ready(*folder); !ready) return fail(ready.error());
  }
  auto store = store::SqliteIdentityStore::open(store::DataFolder::database_path(data));
  if (!store) return fail(store.error());
  return std::unique_ptr<IdentityAccess>(new IdentityAccess(std::move(folder), std::move(*notice), std::move(*store)));
}

bool IdentityAccess::tell_server() {
  const auto announced = notice_.announce();
  return wait_until(kServerPatience, [&] { return notice_.is_seen(announced) || !notice_.is_served(); });
}

}  // namespace braidlog::app
