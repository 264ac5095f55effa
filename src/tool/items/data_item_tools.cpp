#include "tool/items/data_item_tools.h"

#include <utility>

#include "tool/call.h"

namespace braidlog::tool {

namespace {

constexpr const char* kCreateSchema =
    R"({"type":"object","properties":{"item_type":{"type":"string","minLength":1,"maxLength":100,)"
    R"("description":"What kind of thing it is, such as contact or competitor"},)"
    R"("data":{"type":"object","description":"Its facts"}},)"
    R"("required":["item_type","data"],"additionalProperties":false})";
constexpr const char* kIdSchema =
    R"({"type":"object","properties":{"data_item_id":{"type":"string","minLength":1,"maxLength":200,)"
    R"("description":"As create_data_item gave it"}},"required":["data_item_id"],"additionalProperties":false})";
constexpr const char* kUpdateSchema =
    R"({"type":"object","properties":{"data_item_id":{"type":"string","minLength":1,"maxLength":200,)"
    R"("description":"As create_data_item gave it"},)"
    R"("data":{"type":"object","description":"All of its facts, as they are to be now"}},)"
    R"("required":["data_item_id","data"],"additionalProperties":false})";
constexpr const char* kUnreadable = "the session's data items could not be read";

json::object head_of(const DataItemId& id, const std::string& item_type) {
  return {{"data_item_id", to_uuid(id)}, {"item_type", item_type}};
}

// `args` passed check(), so it is there.
std::string data_argument(const json::value& args) {
  return to_json(args.get_object().at("data"));
}

ToolOutcome changed(json::object value, DataItemChanged change) {
  ToolOutcome outcome = ToolOutcome::ok(std::move(value));
  outcome.changes.emplace_back(std::move(change));
  return outcome;
}

ToolOutcome created(const ItemToolContext& context, const Result<std::uint64_t>& present, DataItemChanged change) {
  if (!present) return refuse(kUnreadable);
  if (*present >= context.data_items_max) {
    return refuse("the session has " + std::to_string(*present) + " data items, and may have no more");
  }
  json::object value = head_of(change.id, change.item_type);
  return changed(std::move(value), std::move(change));
}

ToolOutcome shown(const api::DataItem& item) {
  auto data = parse_json(item.data_json);
  if (!data) return refuse(kUnreadable);
  json::object value = head_of(item.id, item.item_type);
  value["data"] = std::move(*data);
  return ToolOutcome::ok(std::move(value));
}

ToolOutcome updated(const api::DataItem& item, std::string data_json) {
  return changed(head_of(item.id, item.item_type),
                 {item.id, DataOperation::kUpdate, item.item_type, std::move(data_json)});
}

ToolOutcome deleted(const api::DataItem& item) {
  json::object value = head_of(item.id, item.item_type);
  value["deleted"] = true;
  return changed(std::move(value), {item.id, DataOperation::kDelete, item.item_type, {}});
}

// Looks for the item that the call names, and gives it to `act`.
std::unique_ptr<ToolRun> with_item(const ItemToolContext& context, const ToolInvocation& invocation, Loop& loop,
                                   Done done, UniqueFunction<ToolOutcome(const api::DataItem&)> act) {
  std::string text = string_argument(invocation.args, "data_item_id");
  const auto id = DataItemId::parse(text);
  if (!id) return answer_later(loop, refuse_unknown("data item", text), std::move(done));
  PendingCall call = wait_for_outcome(loop, std::move(done));
  context.items.data_item(invocation.session_id, *id, loop,
                          [finish = std::move(call.finish), act = std::move(act),
                           text = std::move(text)](Result<api::DataItem> item) mutable {
                            if (item) return finish(act(*item));
                            const bool unknown = item.error().code == ErrorCode::kDataItemNotFound;
                            finish(unknown ? refuse_unknown("data item", text) : refuse(kUnreadable));
                          });
  return std::move(call.run);
}

}  // namespace

CreateDataItem::CreateDataItem(ItemToolContext context)
    : SchemaTool(
          item_spec("create_data_item", "Keeps structured facts as a data item of the session.", kCreateSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> CreateDataItem::start(ToolInvocation invocation, Loop& loop,
                                               UniqueFunction<void(ToolOutcome)> done) {
  DataItemChanged change{.id = DataItemId{invocation.call_id.value},
                         .operation = DataOperation::kCreate,
                         .item_type = string_argument(invocation.args, "item_type"),
                         .data_json = data_argument(invocation.args)};
  if (is_blank(change.item_type)) return answer_later(loop, refuse_blank("item_type"), std::move(done));
  if (change.data_json.size() > context_.data_item_bytes_max) {
    return answer_later(loop, refuse_long("data", change.data_json.size(), context_.data_item_bytes_max),
                        std::move(done));
  }
  PendingCall call = wait_for_outcome(loop, std::move(done));
  context_.items.data_item_count(
      invocation.session_id, loop,
      [finish = std::move(call.finish), context = context_, change = std::move(change)](
          Result<std::uint64_t> present) mutable { finish(created(context, present, std::move(change))); });
  return std::move(call.run);
}

ReadDataItem::ReadDataItem(ItemToolContext context)
    : SchemaTool(item_spec("read_data_item", "Reads a data item of the session.", kIdSchema, false)),
      context_(context) {}

std::unique_ptr<ToolRun> ReadDataItem::start(ToolInvocation invocation, Loop& loop,
                                             UniqueFunction<void(ToolOutcome)> done) {
  return with_item(context_, invocation, loop, std::move(done), shown);
}

UpdateDataItem::UpdateDataItem(ItemToolContext context)
    : SchemaTool(
          item_spec("update_data_item", "Replaces the data of a data item of the session.", kUpdateSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> UpdateDataItem::start(ToolInvocation invocation, Loop& loop,
                                               UniqueFunction<void(ToolOutcome)> done) {
  std::string data_json = data_argument(invocation.args);
  if (data_json.size() > context_.data_item_bytes_max) {
    return answer_later(loop, refuse_long("data", data_json.size(), context_.data_item_bytes_max), std::move(done));
  }
  return with_item(context_, invocation, loop, std::move(done),
                   [data_json = std::move(data_json)](const api::DataItem& item) mutable {
                     return updated(item, std::move(data_json));
                   });
}

DeleteDataItem::DeleteDataItem(ItemToolContext context)
    : SchemaTool(item_spec("delete_data_item", "Deletes a data item of the session.", kIdSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> DeleteDataItem::start(ToolInvocation invocation, Loop& loop,
                                               UniqueFunction<void(ToolOutcome)> done) {
  return with_item(context_, invocation, loop, std::move(done), deleted);
}

}  // namespace braidlog::tool
