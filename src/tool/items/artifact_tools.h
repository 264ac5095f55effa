// The tools on a session's artifacts: named texts that an agent keeps for people. Ids are uuid text.
#pragma once

#include "tool/items/item_context.h"
#include "tool/schema.h"

namespace braidlog::tool {

// create_artifact {name, type, content}: the value is {artifact_id,name,type}; the id is that of the call.
class CreateArtifact final : public SchemaTool {
 public:
  explicit CreateArtifact(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

// read_artifact {artifact_id}: the value is {artifact_id,name,type,content}; a long content is cut, with a mark.
class ReadArtifact final : public SchemaTool {
 public:
  explicit ReadArtifact(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

// list_artifacts {}: the value is [{artifact_id,name,type,created_at}], oldest first; the text is a line each.
class ListArtifacts final : public SchemaTool {
 public:
  explicit ListArtifacts(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

}  // namespace braidlog::tool
