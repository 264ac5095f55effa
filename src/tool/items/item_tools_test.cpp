#include <gtest/gtest.h>

#include "tool/items/artifact_tools.h"
#include "tool/items/data_item_tools.h"
#include "tool/testing/memory_items.h"
#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

using testing::MemoryItems;

constexpr const char* kFirst = "01000000-0000-0000-0000-000000000000";
constexpr const char* kSecond = "02000000-0000-0000-0000-000000000000";

class ItemToolsTest : public ::testing::Test {
 protected:
  static Limits small_limits() {
    Limits limits;
    limits.session_artifacts_max = 2;
    limits.artifact_bytes_max = 20;
    limits.session_data_items_max = 2;
    limits.data_item_bytes_max = 20;
    limits.wire_text_bytes_max = 12;
    return limits;
  }

  // A call as a run makes it; each has its own id, and what it changed is kept.
  ToolOutcome call(Tool& tool, std::string_view args) {
    ToolInvocation invocation;
    invocation.session_id = session_;
    invocation.call_id = ToolCallId{{{++call_number_}}};
    invocation.args = parse_json(args).value();
    const auto call_id = invocation.call_id;
    EXPECT_TRUE(tool.check(invocation.args)) << tool.check(invocation.args).error().message;
    std::optional<ToolOutcome> outcome;
    const auto run = tool.start(std::move(invocation), caller_.loop(), [&](ToolOutcome o) { outcome = std::move(o); });
    EXPECT_FALSE(outcome) << "done came from inside start()";
    caller_.loop().run_ready();
    EXPECT_TRUE(outcome->status == ToolStatus::kOk || outcome->changes.empty());
    items_.keep(session_, call_id, outcome->changes);
    return outcome.value();
  }
  std::string text(Tool& tool, std::string_view args) { return call(tool, args).text; }
  static std::string fault(Tool& tool, std::string_view args) {
    const auto status = tool.check(parse_json(args).value());
    return status ? std::string() : status.error().message;
  }

  MemoryItems items_;
  testing::ToolCaller caller_;
  SessionId session_{{{9}}};
  std::uint8_t call_number_ = 0;
  const ItemToolContext context_ = ItemToolContext::of(items_, small_limits());
  CreateArtifact create_{context_};
  ReadArtifact read_{context_};
  ListArtifacts list_{context_};
  CreateDataItem create_item_{context_};
  ReadDataItem read_item_{context_};
  UpdateDataItem update_item_{context_};
  DeleteDataItem delete_item_{context_};
};

std::string with_id(const char* key, const char* id, const char* rest = "") {
  return std::string("{\"") + key + "\":\"" + id + "\"" + rest + "}";
}

TEST_F(ItemToolsTest, NoneNeedsApprovalAndChangesComeOneByOne) {
  for (Tool* tool : std::initializer_list<Tool*>{&create_, &create_item_, &update_item_, &delete_item_}) {
    EXPECT_FALSE(tool->spec().writes) << tool->spec().name;
    EXPECT_TRUE(tool->spec().changes_session) << tool->spec().name;
  }
  for (Tool* tool : std::initializer_list<Tool*>{&read_, &list_, &read_item_}) {
    EXPECT_FALSE(tool->spec().writes) << tool->spec().name;
    EXPECT_FALSE(tool->spec().changes_session) << tool->spec().name;
  }
}

TEST_F(ItemToolsTest, AnArtifactHasTheIdOfItsCall) {
  const auto outcome = call(create_, R"({"name":"Notes","type":"note","content":"Hello"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, R"({"artifact_id":"01000000-0000-0000-0000-000000000000","name":"Notes","type":"note"})");
  ASSERT_EQ(outcome.changes.size(), 1u);
  const auto& made = std::get<ArtifactMade>(outcome.changes[0]);
  EXPECT_EQ(made.name, "Notes");
  EXPECT_EQ(made.type, "note");
  EXPECT_EQ(made.content, "Hello");

  const auto shown = call(read_, with_id("artifact_id", kFirst));
  EXPECT_EQ(to_json(shown.value),
            "{\"artifact_id\":\"" + std::string(kFirst) + R"(","name":"Notes","type":"note","content":"Hello"})");
  EXPECT_TRUE(shown.changes.empty());
}

TEST_F(ItemToolsTest, ArtifactsAreListed) {
  EXPECT_EQ(text(list_, "{}"), "The session has no artifacts.");
  call(create_, R"({"name":"A","type":"plan","content":""})");
  const auto outcome = call(list_, "{}");
  EXPECT_EQ(outcome.text, "02000000-0000-0000-0000-000000000000: A (plan)");
  EXPECT_EQ(to_json(outcome.value), "[{\"artifact_id\":\"" + std::string(kSecond) +
                                        R"(","name":"A","type":"plan","created_at":"1970-01-01T00:00:00.000Z"}])");
  call(create_, R"({"name":"B","type":"plan","content":""})");
  EXPECT_EQ(text(list_, "{}"),
            "02000000-0000-0000-0000-000000000000: A (plan)\n[cut here: the first 1 of 2 artifacts]");
}

TEST_F(ItemToolsTest, ALongArtifactIsCut) {
  call(create_, R"({"name":"Long","type":"other","content":"12345678901ä3456"})");
  const auto shown = call(read_, with_id("artifact_id", kFirst));
  EXPECT_EQ(shown.value.at("content").as_string(), "12345678901\n[cut here: the first 11 of 17 bytes]");
}

TEST_F(ItemToolsTest, ArtifactsHaveLimits) {
  EXPECT_EQ(text(create_, R"({"name":"A","type":"note","content":"123456789012345678901"})"),
            "content: has 21 bytes; at most 20 are allowed");
  EXPECT_EQ(call(create_, R"({"name":"A","type":"note","content":"12345678901234567890"})").status, ToolStatus::kOk);
  EXPECT_EQ(call(create_, R"({"name":"B","type":"note","content":""})").status, ToolStatus::kOk);
  EXPECT_EQ(text(create_, R"({"name":"C","type":"note","content":""})"),
            "the session has 2 artifacts, and may have no more");
  session_ = SessionId{{{10}}};
  EXPECT_EQ(call(create_, R"({"name":"C","type":"note","content":""})").status, ToolStatus::kOk) << "each its own";
}

TEST_F(ItemToolsTest, ArgumentsOfArtifactsAreChecked) {
  EXPECT_EQ(fault(create_, R"({"name":"A","type":"poem","content":""})"),
            R"(type: expected one of "document", "note", "summary", "plan", "other")");
  EXPECT_EQ(fault(create_, R"({"type":"note","content":""})"), "name: is required");
  EXPECT_EQ(fault(create_, R"({"name":"","type":"note","content":""})"), "name: must not be empty");
  EXPECT_EQ(fault(create_, "{\"name\":\"" + std::string(201, 'x') + R"(","type":"note","content":""})"),
            "name: must have at most 200 characters");
  const auto blank = call(create_, R"({"name":" \n","type":"note","content":""})");
  EXPECT_EQ(blank.status, ToolStatus::kInvalidArguments);
  EXPECT_EQ(blank.text, "name: must not be blank");
}

TEST_F(ItemToolsTest, UnknownArtifacts) {
  EXPECT_EQ(text(read_, R"({"artifact_id":"the first"})"), "there is no artifact 'the first' in this session");
  EXPECT_EQ(text(read_, with_id("artifact_id", kFirst)),
            "there is no artifact '" + std::string(kFirst) + "' in this session");
  call(create_, R"({"name":"A","type":"note","content":""})");
  session_ = SessionId{{{10}}};
  EXPECT_EQ(call(read_, R"({"artifact_id":"03000000-0000-0000-0000-000000000000"})").status, ToolStatus::kToolError)
      << "of another session";
}

TEST_F(ItemToolsTest, ADataItemLivesAndDies) {
  const auto made = call(create_item_, R"({"item_type":"contact","data":{"name":"Ada"}})");
  EXPECT_EQ(made.text, "{\"data_item_id\":\"" + std::string(kFirst) + R"(","item_type":"contact"})");
  ASSERT_EQ(made.changes.size(), 1u);
  auto change = std::get<DataItemChanged>(made.changes[0]);
  EXPECT_EQ(change.id, (DataItemId{{{1}}}));
  EXPECT_EQ(change.operation, DataOperation::kCreate);
  EXPECT_EQ(change.item_type, "contact");
  EXPECT_EQ(change.data_json, R"({"name":"Ada"})");
  EXPECT_EQ(text(read_item_, with_id("data_item_id", kFirst)),
            "{\"data_item_id\":\"" + std::string(kFirst) + R"(","item_type":"contact","data":{"name":"Ada"}})");

  const auto updated = call(update_item_, with_id("data_item_id", kFirst, R"(,"data":{"age":36})"));
  EXPECT_EQ(updated.text, made.text);
  change = std::get<DataItemChanged>(updated.changes.at(0));
  EXPECT_EQ(change.id, (DataItemId{{{1}}})) << "not the id of the call";
  EXPECT_EQ(change.operation, DataOperation::kUpdate);
  EXPECT_EQ(change.item_type, "contact");
  EXPECT_EQ(change.data_json, R"({"age":36})");
  EXPECT_EQ(call(read_item_, with_id("data_item_id", kFirst)).value.at("data"), (json::value{{"age", 36}}));

  const auto deleted = call(delete_item_, with_id("data_item_id", kFirst));
  EXPECT_EQ(deleted.text, "{\"data_item_id\":\"" + std::string(kFirst) + R"(","item_type":"contact","deleted":true})");
  change = std::get<DataItemChanged>(deleted.changes.at(0));
  EXPECT_EQ(change.operation, DataOperation::kDelete);
  EXPECT_EQ(change.item_type, "contact");
  EXPECT_EQ(change.data_json, "");
  const std::string gone = "there is no data item '" + std::string(kFirst) + "' in this session";
  EXPECT_EQ(text(read_item_, with_id("data_item_id", kFirst)), gone);
  EXPECT_EQ(text(update_item_, with_id("data_item_id", kFirst, R"(,"data":{})")), gone);
  EXPECT_EQ(text(delete_item_, with_id("data_item_id", kFirst)), gone);
  EXPECT_EQ(text(delete_item_, R"({"data_item_id":"x"})"), "there is no data item 'x' in this session");
}

TEST_F(ItemToolsTest, DataItemsHaveLimits) {
  EXPECT_EQ(text(create_item_, R"({"item_type":"x","data":{"a":"1234567890123"}})"),
            "data: has 21 bytes; at most 20 are allowed");
  EXPECT_EQ(call(create_item_, R"({"item_type":"x","data":{"a":"123456789012"}})").status, ToolStatus::kOk);
  EXPECT_EQ(text(update_item_, with_id("data_item_id", kSecond, R"(,"data":{"a":"1234567890123"})")),
            "data: has 21 bytes; at most 20 are allowed");
  EXPECT_EQ(call(create_item_, R"({"item_type":"y","data":{}})").status, ToolStatus::kOk);
  EXPECT_EQ(text(create_item_, R"({"item_type":"z","data":{}})"), "the session has 2 data items, and may have no more");
}

TEST_F(ItemToolsTest, ArgumentsOfDataItemsAreChecked) {
  EXPECT_EQ(fault(create_item_, R"({"item_type":"x","data":[]})"), "data: expected object");
  EXPECT_EQ(fault(create_item_, R"({"data":{}})"), "item_type: is required");
  EXPECT_EQ(fault(update_item_, R"({"data_item_id":"x"})"), "data: is required");
  EXPECT_EQ(text(create_item_, R"({"item_type":" ","data":{}})"), "item_type: must not be blank");
}

TEST_F(ItemToolsTest, AStoreThatFailsIsAToolError) {
  items_.break_with(ErrorCode::kStorage);
  EXPECT_EQ(text(list_, "{}"), "the session's artifacts could not be read");
  EXPECT_EQ(text(read_, with_id("artifact_id", kFirst)), "the session's artifacts could not be read");
  EXPECT_EQ(text(create_, R"({"name":"A","type":"note","content":""})"), "the session's artifacts could not be read");
  EXPECT_EQ(text(create_item_, R"({"item_type":"x","data":{}})"), "the session's data items could not be read");
  EXPECT_EQ(text(read_item_, with_id("data_item_id", kFirst)), "the session's data items could not be read");
}

TEST_F(ItemToolsTest, ACancelledCallIsSilent) {
  for (Tool* tool : std::initializer_list<Tool*>{&list_}) {
    auto run = caller_.start(*tool, "{}");
    run.reset();
    caller_.loop().run_ready();
    EXPECT_FALSE(caller_.outcome());
  }
}

}  // namespace
}  // namespace braidlog::tool
