#include "tool/builtin_tools.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "tool/testing/memory_workspace.h"

namespace braidlog::tool {
namespace {

TEST(BuiltinTools, EachUnderItsOwnName) {
  testing::MemoryWorkspace workspace;
  ::braidlog::testing::InlinePool pool;
  const auto tools = builtin_tools(workspace, pool, Limits{});
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools) {
    names.push_back(name);
    EXPECT_EQ(tool->spec().name, name);
    EXPECT_FALSE(tool->spec().description.empty());
    EXPECT_TRUE(parse_json(tool->spec().parameters_json));
    EXPECT_FALSE(tool->check(json::value("not an object")));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"calculator", "current_datetime", "file_list", "file_read", "file_rename",
                                             "file_write"}));
}

}  // namespace
}  // namespace braidlog::tool
