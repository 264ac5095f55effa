// Ids are 16-byte blobs, times are wall milliseconds, enums are the numbers of their C++ values. There are no
// foreign keys: one writer keeps the tables, and what belongs to a session is deleted in one place
// (session_writes.cpp).

#include "store/sqlite/schema.h"

#include <iterator>
#include <string>

#include "store/sqlite/statement.h"

namespace braidlog::store {

namespace {

// Migration n takes version n to n + 1. Never edit one that was released; add the next.
constexpr const char* kMigrations[] = {
    R"sql(
CREATE TABLE session(
  id BLOB PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  agent TEXT NOT NULL,
  contract TEXT NOT NULL,
  auto_approve INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_by_user ON session(user_id, updated_at DESC, id DESC);

-- "Apply to future" of an approval.
CREATE TABLE session_tool(
  session_id BLOB NOT NULL,
  tool TEXT NOT NULL,
  PRIMARY KEY(session_id, tool)
) WITHOUT ROWID;

-- Positions of a session are 0, 1, 2 ... without a gap.
CREATE TABLE message(
  id BLOB NOT NULL,
  session_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  run_id BLOB NOT NULL
);
CREATE UNIQUE INDEX message_by_session ON message(session_id, position);

-- last_sequence is exact once the run is over; while it lives, the journal knows better.
CREATE TABLE run(
  id BLOB PRIMARY KEY NOT NULL,
  session_id BLOB NOT NULL,
  user_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  contract TEXT NOT NULL,
  status INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  failure INTEGER,
  failure_message TEXT NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_input_tokens INTEGER,
  cache_write_tokens INTEGER,
  reasoning_tokens INTEGER,
  last_sequence INTEGER NOT NULL,
  replayable INTEGER NOT NULL,
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX run_by_session ON run(session_id, id);
-- Statuses below 4 are the unfinished ones: a session has at most one such run.
CREATE UNIQUE INDEX run_unfinished ON run(session_id) WHERE status < 4;

CREATE TABLE approval(
  id BLOB PRIMARY KEY NOT NULL,
  run_id BLOB NOT NULL,
  session_id BLOB NOT NULL,
  user_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  args_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  verdict INTEGER  -- NULL: pending
);
CREATE INDEX approval_by_run ON approval(run_id);
CREATE INDEX approval_pending_by_session ON approval(session_id, created_at, id) WHERE verdict IS NULL;
CREATE INDEX approval_pending_by_user ON approval(user_id, created_at, id) WHERE verdict IS NULL;

CREATE TABLE run_order(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id BLOB NOT NULL,
  kind INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  approval_id BLOB NOT NULL,
  verdict INTEGER NOT NULL,
  apply_to_future INTEGER NOT NULL
);
CREATE INDEX run_order_by_run ON run_order(run_id, id);

CREATE TABLE idempotency(
  session_id BLOB NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  run_id BLOB NOT NULL,
  PRIMARY KEY(session_id, key)
) WITHOUT ROWID;

-- One row per commit: the new events of unfinished runs (journal.h).
CREATE TABLE journal(
  id INTEGER PRIMARY KEY,
  body BLOB NOT NULL
);

-- A finished run in one piece, or pieces of an unfinished one that were carried out of the journal.
CREATE TABLE run_record(
  id INTEGER PRIMARY KEY,
  run_id BLOB NOT NULL,
  first_sequence INTEGER NOT NULL,
  record_count INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE UNIQUE INDEX run_record_by_run ON run_record(run_id, first_sequence);
)sql",
    R"sql(
-- Whose events are the next to go.
CREATE INDEX run_by_end ON run(ended_at) WHERE ended_at IS NOT NULL AND replayable;
-- XXH3 (64 bits) of the body of a finished run: SQLite itself does not notice a flipped bit.
ALTER TABLE run_record ADD COLUMN checksum INTEGER;
-- Not empty: something was deleted and is to be cleared. Zeros are written through it over free pages (scrubber.h).
CREATE TABLE scrub(body BLOB NOT NULL);
)sql",
    R"sql(
-- Runs of status 0 wait for their turn; of the others a session has at most one that is not over.
DROP INDEX run_unfinished;
CREATE INDEX run_unfinished ON run(session_id, id) WHERE status < 4;
CREATE UNIQUE INDEX run_at_work ON run(session_id) WHERE status > 0 AND status < 4;

-- The scope is a session's id (a blob) or a user's (a text).
CREATE TABLE run_key(
  scope NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  run_id BLOB NOT NULL,
  session_id BLOB NOT NULL,
  PRIMARY KEY(scope, key)
) WITHOUT ROWID;
INSERT INTO run_key SELECT session_id, key, fingerprint, run_id, session_id FROM idempotency;
DROP TABLE idempotency;
CREATE INDEX run_key_by_session ON run_key(session_id);

-- The text of files that came with a message: for models only.
ALTER TABLE message ADD COLUMN attached TEXT NOT NULL DEFAULT '';

CREATE INDEX session_by_update ON session(updated_at DESC, id DESC);

CREATE TABLE alert(
  ticket INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id BLOB NOT NULL,
  call_id BLOB NOT NULL,
  session_id BLOB NOT NULL,
  user_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  message TEXT NOT NULL,
  priority TEXT NOT NULL
);
CREATE UNIQUE INDEX alert_by_call ON alert(run_id, call_id);
)sql",
    R"sql(
-- Here ids are texts with their prefix: they are compared with what people type. Secrets are hashes (auth/secret.h).
CREATE TABLE user(
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  password_hash TEXT NOT NULL,
  is_admin INTEGER NOT NULL,
  disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- One row per browser that logged in.
CREATE TABLE login(
  id TEXT PRIMARY KEY NOT NULL,
  token_hash BLOB NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX login_by_user ON login(user_id);

CREATE TABLE api_key(
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  key_hash BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
) WITHOUT ROWID;
)sql",
    R"sql(
-- task_version counts the changes of the session's tasks.
ALTER TABLE session ADD COLUMN status INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN task_version INTEGER NOT NULL DEFAULT 0;

CREATE TABLE task(
  session_id BLOB NOT NULL,
  id BLOB NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status INTEGER NOT NULL,
  result TEXT,
  reflection TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX task_by_session ON task(session_id, id);

-- The number is the order in which they were made. What is long stands last: a list does not read it.
CREATE TABLE artifact(
  number INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL,
  id BLOB NOT NULL,
  task_id BLOB,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX artifact_by_session ON artifact(session_id, number);
CREATE UNIQUE INDEX artifact_by_id ON artifact(session_id, id);

CREATE TABLE data_item(
  number INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL,
  id BLOB NOT NULL,
  item_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  data_json TEXT NOT NULL
);
CREATE INDEX data_item_by_session ON data_item(session_id, number);
CREATE UNIQUE INDEX data_item_by_id ON data_item(session_id, id);
)sql",
    R"sql(
-- The beginning of what was asked for: lists show it, and searches look at it.
ALTER TABLE run ADD COLUMN text TEXT NOT NULL DEFAULT '';
UPDATE run SET text = substr(message.content, 1, 200) FROM message
  WHERE message.run_id = run.id AND message.role = 'user';
CREATE INDEX run_by_user ON run(user_id, id);
)sql",
    R"sql(
-- Lists of sessions are ordered by the eight seconds in which a session was used last (session_period.h), and within
-- them by the time itself: a run that begins and ends in the same ones moves its session in no index.
ALTER TABLE session ADD COLUMN period INTEGER NOT NULL DEFAULT 0;
UPDATE session SET period = updated_at >> 13;
DROP INDEX session_by_user;
CREATE INDEX session_by_user ON session(user_id, period DESC);
DROP INDEX session_by_update;
CREATE INDEX session_by_update ON session(period DESC);
)sql",
    R"sql(
-- From here on records may be further words (event/encoding.h), which older programs cannot read. No table changes.
)sql",
};

Result<std::int64_t> pragma_value(Database& database, const char* sql) {
  std::int64_t value = 0;
  auto found = Statement(database, sql).one([&](const Row& row) { value = row.integer(0); });
  if (!found) return fail(std::move(found.error()));
  return value;
}

Status run_migration(Database& database, int version) {
  Transaction transaction(database);
  if (auto status = transaction.begin(Transaction::Kind::kWrite); !status) return status;
  if (auto status = database.exec(kMigrations[version]); !status) return status;
  const std::string marks = "PRAGMA user_version=" + std::to_string(version + 1) +
                            "; PRAGMA application_id=" + std::to_string(kApplicationId);
  if (auto status = database.exec(marks.c_str()); !status) return status;
  return transaction.commit();
}

}  // namespace

Result<int> schema_version(Database& database) {
  const auto version = pragma_value(database, "PRAGMA user_version");
  if (!version) return fail(version.error());
  return static_cast<int>(*version);
}

int current_schema_version() {
  return static_cast<int>(std::size(kMigrations));
}

Status migrate(Database& database, int upto) {
  const auto version = pragma_value(database, "PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version > current_schema_version()) {
    return fail(ErrorCode::kStorage, "the database was written by a newer Braidlog (schema " +
                                         std::to_string(*version) + ", this program knows " +
                                         std::to_string(current_schema_version()) + ")");
  }
  const auto application = pragma_value(database, "PRAGMA application_id");
  if (!application) return fail(application.error());
  if (*version < 0 || (*version > 0 && *application != kApplicationId)) {
    return fail(storage_error(SQLITE_NOTADB));
  }
  for (int next = static_cast<int>(*version); next < upto; ++next) {
    if (auto status = run_migration(database, next); !status) return status;
  }
  return {};
}

}  // namespace braidlog::store
