#include "store/sqlite/reader.h"

#include <algorithm>

#include "store/sqlite/checksum.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_period.h"

namespace braidlog::store {

namespace {

// What is not a column of its own is found by an index: the last position, the unfinished run, the pending
// approvals.
#define BRAIDLOG_SESSION_SQL                                                                           \
  "SELECT s.id, s.user_id, s.title, s.agent, s.contract, s.auto_approve, s.created_at, s.updated_at,"  \
  " coalesce((SELECT max(position) + 1 FROM message WHERE session_id = s.id), 0),"                     \
  " ifnull((SELECT id FROM run WHERE session_id = s.id AND status > 0 AND status < 4),"                \
  "        (SELECT id FROM run WHERE session_id = s.id AND status < 4 ORDER BY id LIMIT 1)),"          \
  " (SELECT count(*) FROM approval WHERE session_id = s.id AND verdict IS NULL),"                      \
  " sum(r.input_tokens), sum(r.output_tokens), sum(r.cached_input_tokens), sum(r.cache_write_tokens)," \
  " sum(r.reasoning_tokens), s.status, s.task_version"
// A page after (?1, ?2), with ?3 at most and ?4 left out before it, of the status ?5 if any.
#define BRAIDLOG_SESSION_PAGE_SQL(whose) \
  BRAIDLOG_SESSION_SQL                   \
  " FROM (SELECT * FROM session WHERE " whose                                                                       \
  " period <= " BRAIDLOG_PERIOD_OF("ifnull(?1, 9223372036854775807)")                                               \
  " AND (?1 IS NULL OR (updated_at, id) < (?1, ?2)) AND (?5 IS NULL OR status = ?5)"                                \
  " ORDER BY period DESC, updated_at DESC, id DESC LIMIT ?3 OFFSET ?4) s" \
  " LEFT JOIN run r ON r.session_id = s.id GROUP BY s.id ORDER BY s.updated_at DESC, s.id DESC"
#define BRAIDLOG_RUN_SQL "SELECT " BRAIDLOG_RUN_COLUMNS " FROM run "
#define BRAIDLOG_APPROVAL_SQL "SELECT id, run_id, session_id, tool_name, args_json, created_at FROM approval "

api::Session read_session(const Row& row) {
  api::Session session;
  session.id = row.id<SessionId>(0);
  session.user_id = row.text(1);
  session.title = row.text(2);
  session.agent = row.text(3);
  session.contract = row.text(4);
  session.auto_approve = row.boolean(5);
  session.created_at = row.time(6);
  session.updated_at = row.time(7);
  session.message_count = row.number(8);
  if (!row.is_null(9)) session.active_run = row.id<RunId>(9);
  session.pending_approvals = row.number(10);
  session.usage = row.usage(11);
  session.status = static_cast<api::SessionStatus>(row.integer(16));
  session.task_version = row.number(17);
  return session;
}

api::Approval read_approval(const Row& row) {
  return {.id = row.id<ApprovalId>(0),
          .run_id = row.id<RunId>(1),
          .session_id = row.id<SessionId>(2),
          .tool_name = row.text(3),
          .args_json = row.text(4),
          .created_at = row.time(5)};
}

}  // namespace

struct SqliteReader::Statements {
  explicit Statements(Database& d)
      : session(d, BRAIDLOG_SESSION_SQL
                " FROM session s LEFT JOIN run r ON r.session_id = s.id WHERE s.id = ?"
                " GROUP BY s.id"),
        // The page is cut before anything is counted or summed.
        sessions(d, BRAIDLOG_SESSION_PAGE_SQL("user_id = ?6 AND")),
        all_sessions(d, BRAIDLOG_SESSION_PAGE_SQL("")),
        session_count(d, "SELECT count(*) FROM session WHERE user_id = ?"),
        all_session_count(d, "SELECT count(*) FROM session"),
        status_count(d, "SELECT count(*) FROM session WHERE user_id = ? AND status = ?"),
        all_status_count(d, "SELECT count(*) FROM session WHERE status = ?"),
        tools(d, "SELECT tool FROM session_tool WHERE session_id = ? ORDER BY tool"),
        has_session(d, "SELECT 1 FROM session WHERE id = ?"),
        messages(d,
                 "SELECT id, role, content, created_at, run_id, attached FROM message WHERE session_id = ?"
                 " ORDER BY position LIMIT ?"),
        run(d, BRAIDLOG_RUN_SQL "WHERE id = ?"),
        runs(d, BRAIDLOG_RUN_SQL "WHERE session_id = ? ORDER BY id"),
        approvals(d, BRAIDLOG_APPROVAL_SQL "WHERE session_id = ? AND verdict IS NULL ORDER BY created_at, id"),
        approvals_of_user(d, BRAIDLOG_APPROVAL_SQL "WHERE user_id = ? AND verdict IS NULL ORDER BY created_at, id"),
        all_approvals(d, BRAIDLOG_APPROVAL_SQL "WHERE verdict IS NULL ORDER BY created_at, id"),
        approval(d, BRAIDLOG_APPROVAL_SQL "WHERE id = ?"),
        alerts(d,
               "SELECT ticket, created_at, user_id, session_id, run_id, call_id, message, priority FROM alert"
               " ORDER BY ticket DESC LIMIT ?"),
        // One statement is one snapshot: the run cannot end or vanish between two looks.
        records(d,
                "SELECT run.status < 4, run_record.body, run_record.checksum FROM run"
                " LEFT JOIN run_record ON run_record.run_id = run.id"
                " WHERE run.id = ? ORDER BY run_record.first_sequence") {}

  Statement session, sessions, all_sessions, session_count, all_session_count, status_count, all_status_count, tools,
      has_session, messages, run, runs, approvals, approvals_of_user, all_approvals, approval, alerts, records;
};

SqliteReader::SqliteReader(std::unique_ptr<Database> database)
    : database_(std::move(database)), sql_(std::make_unique<Statements>(*database_)) {}

SqliteReader::~SqliteReader() = default;

Status SqliteReader::add_tools(api::Session& session) {
  return sql_->tools.each([&](const Row& row) { session.approved_tools.push_back(row.text(0)); }, session.id)
      .map([](std::uint64_t) {});
}

Result<api::Session> SqliteReader::session(SessionId id) {
  Transaction snapshot(*database_);
  if (auto status = snapshot.begin(Transaction::Kind::kRead); !status) return fail(status.error());
  api::Session session;
  auto found = sql_->session.one([&](const Row& row) { session = read_session(row); }, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kSessionNotFound, "Session not found");
  if (auto status = add_tools(session); !status) return fail(status.error());
  return session;
}

Result<api::SessionList> SqliteReader::sessions(const SessionQuery& query) {
  Transaction snapshot(*database_);
  if (auto status = snapshot.begin(Transaction::Kind::kRead); !status) return fail(status.error());
  api::SessionList list;
  auto counted = count_sessions(query);
  if (!counted) return fail(counted.error());
  list.total = *counted;
  std::optional<WallTime> updated_at;
  std::optional<SessionId> id;
  if (query.after) {
    updated_at = query.after->updated_at;
    id = query.after->id;
  }
  const auto take = [&](const Row& row) { list.items.push_back(read_session(row)); };
  auto found = query.user_id
                   ? sql_->sessions.each(take, updated_at, id, query.limit, query.offset, query.status, *query.user_id)
                   : sql_->all_sessions.each(take, updated_at, id, query.limit, query.offset, query.status);
  if (!found) return fail(found.error());
  for (api::Session& session : list.items) {
    if (auto status = add_tools(session); !status) return fail(status.error());
  }
  return list;
}

Result<std::uint64_t> SqliteReader::count_sessions(const SessionQuery& query) {
  std::uint64_t count = 0;
  const auto take = [&](const Row& row) { count = row.number(0); };
  const auto& user = query.user_id;
  auto counted = user && query.status ? sql_->status_count.one(take, *user, *query.status)
                 : user               ? sql_->session_count.one(take, *user)
                 : query.status       ? sql_->all_status_count.one(take, *query.status)
                                      : sql_->all_session_count.one(take);
  if (!counted) return fail(counted.error());
  return count;
}

Result<std::vector<api::Message>> SqliteReader::messages(SessionId id, std::uint64_t count_max) {
  std::vector<api::Message> messages;
  const auto limit = static_cast<std::int64_t>(std::min<std::uint64_t>(count_max, INT64_MAX));
  auto found = sql_->messages.each(
      [&](const Row& row) {
        messages.push_back({.id = row.id<MessageId>(0),
                            .role = row.text(1),
                            .content = row.text(2),
                            .created_at = row.time(3),
                            .run_id = row.id<RunId>(4),
                            .attached = row.text(5)});
      },
      id, limit);
  if (!found) return fail(found.error());
  return messages;
}

Result<api::Run> SqliteReader::run(RunId id) {
  api::Run run;
  auto found = sql_->run.one([&](const Row& row) { run = read_run(row); }, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kRunNotFound, "Run not found");
  return run;
}

Result<api::RunList> SqliteReader::runs(SessionId session_id) {
  api::RunList runs;
  auto found = sql_->runs.each([&](const Row& row) { runs.push_back(read_run(row)); }, session_id);
  if (!found) return fail(found.error());
  return runs;
}

Result<api::ApprovalList> SqliteReader::approvals(SessionId session_id) {
  api::ApprovalList list;
  auto found = sql_->approvals.each([&](const Row& row) { list.push_back(read_approval(row)); }, session_id);
  if (!found) return fail(found.error());
  return list;
}

Result<api::ApprovalList> SqliteReader::approvals_of_user(const std::string& user_id) {
  api::ApprovalList list;
  auto found = sql_->approvals_of_user.each([&](const Row& row) { list.push_back(read_approval(row)); }, user_id);
  if (!found) return fail(found.error());
  return list;
}

Result<api::ApprovalList> SqliteReader::all_approvals() {
  api::ApprovalList list;
  auto found = sql_->all_approvals.each([&](const Row& row) { list.push_back(read_approval(row)); });
  if (!found) return fail(found.error());
  return list;
}

Result<api::AlertList> SqliteReader::alerts(std::uint32_t limit) {
  api::AlertList list;
  auto found = sql_->alerts.each(
      [&](const Row& row) {
        list.push_back({.ticket = row.number(0),
                        .at = row.time(1),
                        .user_id = row.text(2),
                        .session_id = row.id<SessionId>(3),
                        .run_id = row.id<RunId>(4),
                        .call_id = row.id<ToolCallId>(5),
                        .message = row.text(6),
                        .priority = row.text(7)});
      },
      limit);
  if (!found) return fail(found.error());
  return list;
}

Result<api::Approval> SqliteReader::approval(ApprovalId id) {
  api::Approval approval;
  auto found = sql_->approval.one([&](const Row& row) { approval = read_approval(row); }, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kApprovalNotFound, "Approval not found");
  return approval;
}

Result<std::string> SqliteReader::records(RunId id) {
  std::string records;
  bool unfinished = false, damaged = false;
  auto found = sql_->records.each(
      [&](const Row& row) {
        unfinished = row.boolean(0);
        const std::string_view body = row.view(1);
        damaged = damaged || (!row.is_null(2) && row.integer(2) != checksum_of(body));
        records += body;
      },
      id);
  if (!found) return fail(found.error());
  if (*found == 0) return fail(ErrorCode::kRunNotFound, "Run not found");
  if (unfinished) return fail(ErrorCode::kInvalidState, "the run is unfinished");
  if (damaged) return fail(storage_error(SQLITE_CORRUPT));
  if (records.empty()) return fail(ErrorCode::kGone, "the events of the run are past retention");
  return records;
}

}  // namespace braidlog::store
