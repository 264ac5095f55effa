// Finds runs among those of all sessions. An index gives them newest first, of a session, a user or all, or those that
// are not over; each is looked at in turn until the page is full, so that a page costs what it shows. Only words or a
// filter that hardly any run fits make it look at many, and then it stops at a limit.
#pragma once

#include <string>
#include <string_view>

#include "port/run_store.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

class RunFinder {
 public:
  // `database` outlives it.
  explicit RunFinder(Database& database);

  Result<api::FoundRuns> find(const RunQuery& query);

 private:
  template <class Take>
  Status each(const RunQuery& query, Take take);
  // Of the session of this row; most runs that are looked at are not shown, and neighbours are often of one session.
  Result<std::string_view> title_of(const Row& row);

  Database& database_;
  Statement of_session_, unfinished_, of_user_, of_all_, title_;
  SessionId titled_;
  std::string last_title_;
};

}  // namespace braidlog::store
