// search_knowledge_base {query, limit?}: the passages of a set of documents that fit the words best. The value is
// {"results":[{title, source, snippet}]}; the text has them numbered, one paragraph each, or says that there are none.
// Searches on the worker pool, which outlives the tool. Reads only.
#pragma once

#include <memory>

#include "base/loop.h"
#include "tool/knowledge/knowledge_index.h"
#include "tool/schema.h"

namespace braidlog::tool {

class SearchKnowledgeBase final : public SchemaTool {
 public:
  SearchKnowledgeBase(std::shared_ptr<const KnowledgeIndex> index, WorkerPool& pool);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  std::shared_ptr<const KnowledgeIndex> index_;
  WorkerPool& pool_;
};

// Over the documents in the binary.
std::shared_ptr<Tool> make_embedded_knowledge(WorkerPool& pool);

}  // namespace braidlog::tool
