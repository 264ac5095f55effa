// The way of a command to users and keys, whether a server runs on the data folder or not. Without one the command
// takes the folder's place: it holds the folder's lock, makes the database when it is missing and brings it up to date,
// as the server would. With one it leaves all that to the server, and tells it what has changed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "auth/change_notice.h"
#include "base/result.h"
#include "store/sqlite/data_folder.h"
#include "store/sqlite/identity_store.h"

namespace braidlog::app {

class IdentityAccess {
 public:
  // kStorage with one line for people. Waits some seconds for a server that starts or stops, or for another command.
  static Result<std::unique_ptr<IdentityAccess>> open(const std::string& data);

  IdentityStore& store() { return *store_; }

  // After a change: returns when a running server has taken it up, and has written down what it remembers of cookies
  // and keys. False when a server runs and did not do it in time.
  bool tell_server();

 private:
  IdentityAccess(std::optional<store::DataFolder> folder, auth::ChangeNotice notice,
                 std::unique_ptr<store::SqliteIdentityStore> store)
      : folder_(std::move(folder)), notice_(std::move(notice)), store_(std::move(store)) {}

  std::optional<store::DataFolder> folder_;  // none: a server has it
  auth::ChangeNotice notice_;
  std::unique_ptr<store::SqliteIdentityStore> store_;
};

}  // namespace braidlog::app
