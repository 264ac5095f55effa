// A prepared statement that is kept: prepared at its first use, bound, stepped and reset in one call, so that
// no caller can leave one open and hold back a checkpoint.
//
//   Statement find(database, "SELECT title FROM session WHERE id = ?");
//   auto found = find.one([&](const Row& row) { title = row.text(0); }, session_id);   // Result<bool>
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "event/run_event.h"
#include "store/sqlite/database.h"

namespace braidlog::store {

// Bytes, as opposed to text.
struct Blob {
  std::string_view bytes;
};

// The current row. Columns count from 0; views end with the row.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  bool boolean(int column) const { return integer(column) != 0; }
  WallTime time(int column) const { return {integer(column)}; }
  std::optional<WallTime> optional_time(int column) const {
    return is_null(column) ? std::nullopt : std::optional(time(column));
  }
  std::string_view view(int column) const;
  std::string text(int column) const { return std::string(view(column)); }
  template <class IdType>
  IdType id(int column) const {
    IdType out;
    const std::string_view bytes = view(column);
    if (bytes.size() == out.value.bytes.size()) std::copy(bytes.begin(), bytes.end(), out.value.bytes.begin());
    return out;
  }
  // Five columns from `column` on; none when the first is NULL.
  std::optional<Usage> usage(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Statement {
 public:
  // `sql` is a literal: it is not copied.
  Statement(Database& database, const char* sql) : database_(database), sql_(sql) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Runs a statement that gives no rows.
  template <class... Args>
  Status run(const Args&... args) {
    auto found = each([](const Row&) {}, args...);
    if (!found) return fail(std::move(found.error()));
    return {};
  }

  // Calls `take` with the first row; false when there is none.
  template <class Take, class... Args>
  Result<bool> one(Take take, const Args&... args) {
    if (auto status = begin(args...); !status) return fail(std::move(status.error()));
    Reset reset{statement_};
    auto more = step();
    if (more && *more) take(Row(statement_));
    return more;
  }

  // Calls `take` with every row; how many there were.
  template <class Take, class... Args>
  Result<std::uint64_t> each(Take take, const Args&... args) {
    if (auto status = begin(args...); !status) return fail(std::move(status.error()));
    Reset reset{statement_};
    for (std::uint64_t count = 0;; ++count) {
      auto more = step();
      if (!more) return fail(std::move(more.error()));
      if (!*more) return count;
      take(Row(statement_));
    }
  }

  // Calls `take` with the rows, as long as it says that it wants more.
  template <class Take, class... Args>
  Status each_wanted(Take take, const Args&... args) {
    if (auto status = begin(args...); !status) return status;
    Reset reset{statement_};
    for (;;) {
      auto more = step();
      if (!more) return fail(std::move(more.error()));
      if (!*more || !take(Row(statement_))) return {};
    }
  }

 private:
  struct Reset {
    sqlite3_stmt* statement;
    ~Reset() { sqlite3_reset(statement); }
  };

  Status prepare();
  Result<bool> step();

  template <class... Args>
  Status begin(const Args&... args) {
    if (!statement_) {
      if (auto status = prepare(); !status) return status;
    }
    index_ = 0;
    code_ = SQLITE_OK;
    (bind(args), ...);
    if (code_ != SQLITE_OK) return fail(storage_error(code_));
    return {};
  }

  // Bound without a copy: the arguments outlive the call that steps.
  template <class T>
  void bind(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      bind_integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      bind_text(value);
    } else {
      bind_value(value);
    }
  }
  template <class T>
  void bind(const std::optional<T>& value) {
    value ? bind(*value) : bind_null();
  }
  template <class Tag>
  void bind(const Id<Tag>& id) {
    bind_value(Blob{{reinterpret_cast<const char*>(id.value.bytes.data()), id.value.bytes.size()}});
  }
  void bind_value(const WallTime& time) { bind_integer(time.ms); }
  void bind_value(const Usage& usage);  // five parameters
  void bind_value(const Blob& blob);
  void bind_integer(std::int64_t value);
  void bind_text(std::string_view text);
  void bind_null();
  void bind(const std::optional<Usage>& usage);
  void note(int code) {
    if (code_ == SQLITE_OK) code_ = code;
  }

  Database& database_;
  const char* sql_;
  sqlite3_stmt* statement_ = nullptr;
  int index_ = 0;
  int code_ = SQLITE_OK;
};

}  // namespace braidlog::store
