// The tools on a session's data items: JSON objects of some type that an agent keeps for itself, for later tasks and
// for programs. Ids are uuid text.
#pragma once

#include "tool/items/item_context.h"
#include "tool/schema.h"

namespace braidlog::tool {

// create_data_item {item_type, data}: the value is {data_item_id,item_type}; the id is that of the call.
class CreateDataItem final : public SchemaTool {
 public:
  explicit CreateDataItem(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

// read_data_item {data_item_id}: the value is {data_item_id,item_type,data}.
class ReadDataItem final : public SchemaTool {
 public:
  explicit ReadDataItem(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

// update_data_item {data_item_id, data}: the new data take the place of the old. The value is {data_item_id,item_type}.
class UpdateDataItem final : public SchemaTool {
 public:
  explicit UpdateDataItem(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

// delete_data_item {data_item_id}: the value is {data_item_id,item_type,deleted}.
class DeleteDataItem final : public SchemaTool {
 public:
  explicit DeleteDataItem(ItemToolContext context);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  ItemToolContext context_;
};

}  // namespace braidlog::tool
