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

class BuiltinTools : public ::testing::Test {
 protected:
  std::map<std::string, std::shared_ptr<Tool>> tools(std::optional<SearchSettings> search = {}) {
    return builtin_tools({workspace_, alerts_, status_, items_, pool_, *clients_,
                          std::make_shared<const OutboundRules>(), nullptr, std::move(search)},
                         Limits{});
  }

  testing::MemoryWorkspace workspace_;
  ::braidlog::testing::InlinePool pool_;
  testing::RecordingAlerts alerts_;
  NoFigures status_;
  testing::MemoryItems items_;
  std::unique_ptr<HttpClients> clients_ = HttpClients::make({}, Limits{}).value();
};

TEST_F(BuiltinTools, EachUnderItsOwnName) {
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools()) {
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
                                      "search_knowledge_base", "system_status", "update_data_item", "web_fetch"}));
}

TEST_F(BuiltinTools, TheWebIsSearchedOnlyWhereTheOperatorSaysHow) {
  const auto with_engine = tools(SearchSettings{SearchKind::kSearxng, "http://127.0.0.1:8888", ""});
  ASSERT_TRUE(with_engine.contains("web_search"));
  EXPECT_FALSE(with_engine.at("web_search")->spec().writes);
  EXPECT_FALSE(with_engine.at("web_fetch")->spec().writes);
}

}  // namespace
}  // namespace braidlog::tool
