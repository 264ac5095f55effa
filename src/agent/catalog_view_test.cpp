// What a catalog tells of its agents, and the ones that are there to try their tools.
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/catalog.h"
#include "agent/testing/catalog_fixture.h"

namespace braidlog::agent {
namespace {

class CatalogViewTest : public testing::CatalogFixture {
 protected:
  DescribedAgent described(const std::string& name) {
    for (auto& agent : catalog_.view().agents) {
      if (agent.runnable->agent.name == name) return agent;
    }
    ADD_FAILURE() << "there is no " << name;
    return {};
  }
};

TEST_F(CatalogViewTest, EveryAgentWithItsText) {
  put("a.yaml", "name: a\n# a remark\n");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(described("a").file, "a.yaml");
  EXPECT_EQ(described("a").yaml, "name: a\n# a remark\n");
  EXPECT_EQ(described("a").runnable, catalog_.find("a"));
  EXPECT_EQ(described("writer").file, std::nullopt);
  EXPECT_TRUE(described("writer").yaml.starts_with("name: writer\n"));
  EXPECT_EQ(catalog_.view().agents.size(), catalog_.all().size());
  EXPECT_TRUE(catalog_.view().faults.empty());
}

TEST_F(CatalogViewTest, AFileOverAnAgentOfTheBinary) {
  put("w.yaml", "name: writer\n");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(described("writer").file, "w.yaml");
  remove("w.yaml");
  catalog_.reload(folder_);
  EXPECT_EQ(described("writer").file, std::nullopt);
}

TEST_F(CatalogViewTest, FaultsOfTheLastLook) {
  put("a.yaml", "name: a\n");
  ASSERT_TRUE(catalog_.load(folder_));
  put("a.yaml", "name: a\ncolour: blue\nshape: round\n");
  put("new.yaml", "nothing: 1\n");
  catalog_.reload(folder_);
  const auto faults = catalog_.view().faults;
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].file, "a.yaml");
  EXPECT_EQ(faults[0].kept, "a");
  ASSERT_EQ(faults[0].lines.size(), 2u) << "one for each";
  EXPECT_TRUE(faults[0].lines[0].starts_with("a.yaml:2:1: unknown key 'colour'")) << faults[0].lines[0];
  EXPECT_EQ(faults[1].file, "new.yaml");
  EXPECT_EQ(faults[1].kept, "");
  EXPECT_EQ(described("a").yaml, "name: a\n") << "as it was loaded";
  put("a.yaml", "name: a\n");
  remove("new.yaml");
  catalog_.reload(folder_);
  EXPECT_TRUE(catalog_.view().faults.empty());
}

TEST_F(CatalogViewTest, AnAgentToTryTheToolsOf) {
  put("c.yaml",
      "name: c\nstyle: code\nmodel: {provider: openai}\ntools: [calculator, file_write]\n"
      "approval: {default: deny, tools: {file_write: ask}}\n");
  ASSERT_TRUE(catalog_.load(folder_));
  const auto own = catalog_.find("c");
  const auto trial = catalog_.find("try:c");
  ASSERT_TRUE(own && trial);
  EXPECT_EQ(trial->agent.name, "try:c") << "after a restart it is found again";
  EXPECT_EQ(trial->agent.model.provider, "offline");
  EXPECT_EQ(trial->agent.model.pace, std::chrono::milliseconds(0));
  EXPECT_NE(trial->model, own->model);
  EXPECT_EQ(trial->agent.style, api::Style::kTools);
  EXPECT_FALSE(trial->sandbox);
  EXPECT_EQ(trial->tools, own->tools);
  EXPECT_EQ(trial->agent.approval.for_tool("file_write"), api::Policy::kAsk);
  EXPECT_EQ(trial->agent.approval.fallback, api::Policy::kDeny);
  EXPECT_FALSE(catalog_.find("try:nobody"));
  EXPECT_FALSE(catalog_.find("try:"));
  EXPECT_FALSE(catalog_.find("try:try:c"));
  EXPECT_TRUE(std::ranges::none_of(catalog_.all(), [](const auto& a) { return a->agent.name.starts_with("try:"); }));
}

}  // namespace
}  // namespace braidlog::agent
