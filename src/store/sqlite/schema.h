// The tables, and how an older database becomes a current one.
#pragma once

#include "base/result.h"
#include "store/sqlite/database.h"

namespace braidlog::store {

// "Brdl": marks the file as ours.
inline constexpr std::uint32_t kApplicationId = 0x4272646c;

// The version this program writes. A database of a newer version is refused.
int current_schema_version();
// The version of this database.
Result<int> schema_version(Database& database);

// Runs every migration that the database has not had, each in a transaction of its own. kStorage with one
// line for people when the database is newer than this program or not ours.
// `upto` is for tests: an older version to stop at.
Status migrate(Database& database, int upto = current_schema_version());

}  // namespace braidlog::store
