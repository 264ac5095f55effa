#include "tool/builtin_tools.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "tool/testing/memory_items.h"
#include "tool/testing/memory_workspace.h"
#include "tool/testing/recording_alerts.h"

namespace braidlog::tool {
namespace {

class NoFigures final : public ServerStatus {
 public:
  ServerFigures figures() const override { return {}; }
};

TEST(BuiltinTools, EachUnderItsOwnName) {
  testing::MemoryWorkspace workspace;
  ::braidlog::testing::InlinePool pool;
  testing::RecordingAlerts alerts;
  NoFigures status;
  testing::MemoryItems items;
  const auto tools = builtin_tools({workspace, alerts, status, items, pool}, Limits{});
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools) {
    names.push_back(name);
    EXPECT_EQ(tool->spec().name, name);
    EXPECT_FALSE(tool->spec().description.empty());
    EXPECT_TRUE(parse_json(tool->spec().parameters_json));
    EXPECT_FALSE(tool->check(json::value("not an object")));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"alert_admin", "calculator", "create_artifact", "create_data_item",
                                      "current_datetime", "delete_data_item", "file_list", "file_read", "file_rename",
                                      "file_write", "list_artifacts", "read_artifact", "read_data_item",
                                      "search_knowledge_base", "system_status", "update_data_item"}));
}

}  // namespace
}  // namespace braidlog::tool
