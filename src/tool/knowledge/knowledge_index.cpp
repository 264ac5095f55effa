#include "tool/knowledge/knowledge_index.h"

#include <sqlite3.h>

#include <utility>

#include "base/utf8.h"
#include "tool/knowledge/match_query.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kWholePassageBytesMax = 800;
constexpr std::size_t kSnippetBytesMax = 1600;  // its words are counted, and a word may be of any length

constexpr const char* kSchema =
    "PRAGMA temp_store = MEMORY;"
    "CREATE VIRTUAL TABLE passage USING fts5(title, body, source UNINDEXED,"
    " tokenize = 'porter unicode61 remove_diacritics 2');"
    // A word in a heading counts for three in the text.
    "INSERT INTO passage(passage, rank) VALUES('rank', 'bm25(3.0, 1.0)');"
    "BEGIN;";
constexpr const char* kInsert = "INSERT INTO passage(title, body, source) VALUES(?1, ?2, ?3)";
constexpr const char* kFinish = "COMMIT; INSERT INTO passage(passage) VALUES('optimize'); PRAGMA query_only = ON;";
constexpr const char* kSearch =
    "SELECT title, source, body, snippet(passage, 1, '', '', '\xe2\x80\xa6', 64) FROM passage"
    " WHERE passage MATCH ?1 ORDER BY rank LIMIT ?2";

tl::unexpected<Error> out_of_memory() {
  return fail(ErrorCode::kInternal, "the knowledge base failed");
}

// A prepared statement, finalized with this.
class Prepared {
 public:
  Prepared(sqlite3* database, const char* sql) { sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  ~Prepared() { sqlite3_finalize(statement_); }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  // False: it could not be prepared, or there is no memory. `text` stays where it is until the statement is done.
  bool bind(int index, std::string_view text) {
    // The null pointer of an empty view would bind NULL.
    const char* data = text.empty() ? "" : text.data();
    return sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
  }
  bool bind(int index, unsigned number) { return sqlite3_bind_int64(statement_, index, number) == SQLITE_OK; }
  int step() { return sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

bool fill(sqlite3* database, std::span<const Passage> passages) {
  if (sqlite3_exec(database, kSchema, nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  Prepared insert(database, kInsert);
  for (const Passage& passage : passages) {
    const bool bound = insert.bind(1, passage.title) && insert.bind(2, passage.text) && insert.bind(3, passage.source);
    if (!bound || insert.step() != SQLITE_DONE) return false;
    insert.reset();
  }
  return sqlite3_exec(database, kFinish, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::string shown(std::string passage, std::string snippet) {
  if (passage.size() <= kWholePassageBytesMax) return passage;
  if (snippet.size() > kSnippetBytesMax) {
    snippet.resize(utf8_prefix(snippet, kSnippetBytesMax).size());
    snippet += "\xe2\x80\xa6";
  }
  return snippet;
}

}  // namespace

Result<std::shared_ptr<KnowledgeIndex>> KnowledgeIndex::build(std::span<const Passage> passages) {
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  const int opened = sqlite3_open_v2(":memory:", &database, flags, nullptr);
  // Owns the connection from here on; a failed open leaves one to close, too.
  std::shared_ptr<KnowledgeIndex> index(new KnowledgeIndex(database));
  if (opened != SQLITE_OK || !fill(database, passages)) return out_of_memory();
  return index;
}

KnowledgeIndex::~KnowledgeIndex() {
  sqlite3_close(database_);
}

Result<std::vector<Finding>> KnowledgeIndex::search(std::string_view text, unsigned limit) const {
  const std::string query = match_query(text);
  std::vector<Finding> findings;
  if (query.empty()) return findings;
  const MutexLock lock(mutex_);
  Prepared select(database_, kSearch);
  if (!select.bind(1, query) || !select.bind(2, limit)) return out_of_memory();
  int step = select.step();
  for (; step == SQLITE_ROW; step = select.step()) {
    findings.push_back({select.text(0), select.text(1), shown(select.text(2), select.text(3))});
  }
  if (step != SQLITE_DONE) return out_of_memory();
  return findings;
}

}  // namespace braidlog::tool
