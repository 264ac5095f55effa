#include "dialect/session_items.h"

#include <gtest/gtest.h>

#include <string>

namespace braidlog {
namespace {

TEST(SessionItems, EveryStatusAndOperationHasItsWord) {
  EXPECT_EQ(task_status_name(TaskStatus::kPending), "pending");
  EXPECT_EQ(task_status_name(TaskStatus::kInProgress), "in_progress");
  EXPECT_EQ(task_status_name(TaskStatus::kDone), "done");
  EXPECT_EQ(task_status_name(TaskStatus::kFailed), "failed");
  EXPECT_EQ(task_status_name(static_cast<TaskStatus>(99)), "pending");
  EXPECT_EQ(data_operation_name(DataOperation::kCreate), "create");
  EXPECT_EQ(data_operation_name(DataOperation::kUpdate), "update");
  EXPECT_EQ(data_operation_name(DataOperation::kDelete), "delete");
  EXPECT_EQ(data_operation_name(static_cast<DataOperation>(99)), "update");
}

TEST(SessionItems, ArtifactsHaveFiveTypes) {
  for (const char* type : {"document", "note", "summary", "plan", "other"}) {
    EXPECT_TRUE(is_artifact_type(type));
    EXPECT_EQ(artifact_type_name(type), type);
  }
  for (const char* type : {"", "Document", "documents", "pdf"}) {
    EXPECT_FALSE(is_artifact_type(type));
    EXPECT_EQ(artifact_type_name(type), "other");
  }
}

TEST(SessionItems, DataIsAnyJsonValueAndNullWhenThereIsNone) {
  api::DataItem item;
  for (const auto& [data, shown] :
       {std::pair{"", "null"}, {"[1,\"\\u2028\"]", "[1,\"\\u2028\"]"}, {"\"x\"", "\"x\""}}) {
    item.data_json = data;
    std::string out;
    JsonWriter w(out);
    write_data_item(w, item);
    EXPECT_NE(out.find("\"data\":" + std::string(shown) + ",\"createdAt\""), std::string::npos) << out;
  }
}

}  // namespace
}  // namespace braidlog
