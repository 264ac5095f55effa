#include "store/sqlite/statement.h"

namespace braidlog::store {

std::string_view Row::view(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size)) : std::string_view();
}

std::optional<Usage> Row::usage(int column) const {
  if (is_null(column)) return std::nullopt;
  return Usage{.input_tokens = number(column),
               .output_tokens = number(column + 1),
               .cached_input_tokens = number(column + 2),
               .cache_write_tokens = number(column + 3),
               .reasoning_tokens = number(column + 4)};
}

Status Statement::prepare() {
  const int code = sqlite3_prepare_v3(database_.handle(), sql_, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) return fail(storage_error(code));
  return {};
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(storage_error(code));
}

void Statement::bind_integer(std::int64_t value) {
  note(sqlite3_bind_int64(statement_, ++index_, value));
}

void Statement::bind_null() {
  note(sqlite3_bind_null(statement_, ++index_));
}

void Statement::bind_text(std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  note(sqlite3_bind_text64(statement_, ++index_, text.data() ? text.data() : "", text.size(), SQLITE_STATIC,
                           SQLITE_UTF8));
}

void Statement::bind_value(const Blob& blob) {
  note(sqlite3_bind_blob64(statement_, ++index_, blob.bytes.data() ? blob.bytes.data() : "", blob.bytes.size(),
                           SQLITE_STATIC));
}

void Statement::bind_value(const Usage& usage) {
  for (const std::uint64_t tokens : {usage.input_tokens, usage.output_tokens, usage.cached_input_tokens,
                                     usage.cache_write_tokens, usage.reasoning_tokens}) {
    bind_integer(static_cast<std::int64_t>(tokens));
  }
}

void Statement::bind(const std::optional<Usage>& usage) {
  if (usage) {
    bind_value(*usage);
  } else {
    for (int i = 0; i < 5; ++i) bind_null();
  }
}

}  // namespace braidlog::store
