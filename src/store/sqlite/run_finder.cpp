#include "store/sqlite/run_finder.h"

#include <utility>

#include "store/sqlite/run_row.h"

namespace braidlog::store {

namespace {

#define BRAIDLOG_FIND_RUNS(whose) "SELECT " BRAIDLOG_RUN_COLUMNS ", text FROM run " whose " id < ?1 ORDER BY id DESC"

constexpr int kSession = 1, kUser = 2, kAgent = 3, kStatus = 5, kText = 18;

RunId after_all() {
  RunId id;
  id.value.bytes.fill(0xff);
  return id;
}

bool passes_filters(const Row& row, const RunQuery& query) {
  if (query.status && static_cast<RunStatus>(row.integer(kStatus)) != *query.status) return false;
  if (query.user_id && row.view(kUser) != *query.user_id) return false;
  return query.agent.empty() || row.view(kAgent) == query.agent;
}

}  // namespace

RunFinder::RunFinder(Database& database)
    : database_(database),
      of_session_(database, BRAIDLOG_FIND_RUNS("WHERE session_id = ?2 AND")),
      unfinished_(database, BRAIDLOG_FIND_RUNS("INDEXED BY run_unfinished WHERE status < 4 AND")),
      of_user_(database, BRAIDLOG_FIND_RUNS("WHERE user_id = ?2 AND")),
      of_all_(database, BRAIDLOG_FIND_RUNS("WHERE")),
      title_(database, "SELECT title FROM session WHERE id = ?") {}

template <class Take>
Status RunFinder::each(const RunQuery& query, Take take) {
  const RunId before = query.before.value_or(after_all());
  if (query.session_id) return of_session_.each_wanted(take, before, *query.session_id);
  // Few of all runs, whoever they belong to.
  if (query.status && !is_over(*query.status)) return unfinished_.each_wanted(take, before);
  if (query.user_id) return of_user_.each_wanted(take, before, *query.user_id);
  return of_all_.each_wanted(take, before);
}

Result<std::string_view> RunFinder::title_of(const Row& row) {
  const auto id = row.id<SessionId>(kSession);
  if (id == titled_) return last_title_;
  auto found = title_.one([&](const Row& session) { last_title_ = session.text(0); }, id);
  if (!found) return fail(std::move(found.error()));
  titled_ = id;
  return last_title_;
}

Result<api::FoundRuns> RunFinder::find(const RunQuery& query) {
  // Titles are read while runs are: of the same moment. What was remembered of them is of another.
  Transaction snapshot(database_);
  if (auto status = snapshot.begin(Transaction::Kind::kRead); !status) return fail(std::move(status.error()));
  titled_ = {};
  api::FoundRuns found;
  Status titles;
  RunWords words(query.words);
  std::uint32_t looked_at = 0;
  std::optional<RunId> last;
  const auto take = [&](const Row& row) {
    if (found.items.size() == query.limit || looked_at++ == query.looked_at_max) {
      found.next = last;
      return false;
    }
    last = row.id<RunId>(0);
    if (!passes_filters(row, query)) return true;
    auto title = title_of(row);
    if (!title) {
      titles = fail(std::move(title.error()));
      return false;
    }
    if (words.fit({*last, row.id<SessionId>(kSession), row.view(kAgent), *title, row.view(kText)})) {
      found.items.push_back({read_run(row), std::string(*title), row.text(kText)});
    }
    return true;
  };
  if (auto status = each(query, take); !status) return fail(std::move(status.error()));
  if (!titles) return fail(std::move(titles.error()));
  return found;
}

}  // namespace braidlog::store
