// Passages that can be searched by words: a full-text index (SQLite FTS5) in memory. English endings do not matter
// ("returned" finds "returns"), nor do case and accents.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "tool/knowledge/passages.h"

struct sqlite3;

namespace braidlog::tool {

struct Finding {
  std::string title;
  std::string source;
  std::string snippet;  // the passage, or the part of a long one that fits best
};

// Never changes once it is built. Thread-safe; a search takes as long as it takes, so not on a loop.
class KnowledgeIndex {
 public:
  // kInternal: no memory.
  static Result<std::shared_ptr<KnowledgeIndex>> build(std::span<const Passage> passages);
  ~KnowledgeIndex();

  // The best first, at most `limit`. Any text is a good query; one without a word finds nothing. kInternal: no memory.
  Result<std::vector<Finding>> search(std::string_view text, unsigned limit) const;

 private:
  explicit KnowledgeIndex(sqlite3* database) : database_(database) {}

  mutable Mutex mutex_;  // the connection is opened without SQLite's own
  sqlite3* const database_ GUARDED_BY(mutex_);
};

}  // namespace braidlog::tool
