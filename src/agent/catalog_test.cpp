#include "agent/catalog.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/builtin_agents.h"
#include "agent/testing/catalog_fixture.h"

namespace braidlog::agent {
namespace {

namespace fs = std::filesystem;

class CatalogTest : public testing::CatalogFixture {};

TEST_F(CatalogTest, TheBinaryBringsItsAgents) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  const auto assistant = catalog_.find(catalog_.default_for("anything else"));
  ASSERT_TRUE(assistant);
  EXPECT_EQ(assistant->agent.name, "assistant");
  const auto writer = catalog_.find(catalog_.default_for("runs"));
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->agent.name, "writer");
  EXPECT_TRUE(writer->find_tool("file_write"));
  EXPECT_TRUE(writer->model);
  EXPECT_EQ(writer->agent.approval.for_tool("file_write"), api::Policy::kAsk);
  EXPECT_EQ(writer->tools.size(), writer->agent.tools.size());
  EXPECT_FALSE(catalog_.find("nobody"));
  EXPECT_EQ(catalog_.all().size(), 6u);
}

TEST_F(CatalogTest, SupportAndOperator) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  const auto support = catalog_.find(catalog_.default_for("chat"));
  ASSERT_TRUE(support);
  EXPECT_EQ(support->agent.name, "support");
  EXPECT_EQ(support->agent.tools, std::vector<std::string>{"search_knowledge_base"});
  EXPECT_EQ(support->find_tool("search_knowledge_base"), tools_.at("search_knowledge_base").get())
      << "the binary's own";
  const auto op = catalog_.find(catalog_.default_for("conversation"));
  ASSERT_TRUE(op);
  EXPECT_EQ(op->agent.name, "operator");
  EXPECT_EQ(op->agent.tools, (std::vector<std::string>{"system_status", "alert_admin"}));
  EXPECT_EQ(op->agent.approval.for_tool("alert_admin"), api::Policy::kAuto);
  EXPECT_EQ(op->agent.approval.for_tool("anything"), api::Policy::kAsk);
}

TEST_F(CatalogTest, Analyst) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  const auto analyst = catalog_.find(catalog_.default_for("steps"));
  ASSERT_TRUE(analyst);
  EXPECT_EQ(analyst->agent.name, "analyst");
  EXPECT_EQ(analyst->agent.style, api::Style::kCode);
  EXPECT_EQ(analyst->agent.planning_interval, 3u);
  EXPECT_EQ(analyst->agent.max_steps, 12u);
  EXPECT_EQ(analyst->agent.tools,
            (std::vector<std::string>{"calculator", "current_datetime", "file_read", "file_list"}));
  EXPECT_EQ(analyst->sandbox, sandbox_);
  EXPECT_FALSE(catalog_.find("assistant")->sandbox) << "of style tools";
}

TEST_F(CatalogTest, WithoutASandboxCodeAgentsAreLoadedAllTheSame) {
  Catalog catalog{{tools_, [this](const auto& documents) { return make_knowledge(documents); }}, make_model, {"hang"}};
  ASSERT_TRUE(catalog.load(std::nullopt));
  ASSERT_TRUE(catalog.find("analyst"));
  EXPECT_FALSE(catalog.find("analyst")->sandbox);
}

TEST_F(CatalogTest, PlannerHasAToolOfTheEngine) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  const auto planner = catalog_.find(catalog_.default_for("tasks"));
  ASSERT_TRUE(planner);
  EXPECT_EQ(planner->agent.name, "planner");
  EXPECT_EQ(planner->agent.style, api::Style::kTools);
  EXPECT_FALSE(planner->sandbox);
  EXPECT_EQ(planner->agent.tools.front(), "set_tasks");
  EXPECT_EQ(planner->tools.size() + 1, planner->agent.tools.size());
  EXPECT_FALSE(planner->find_tool("set_tasks")) << "the engine answers it";
  EXPECT_EQ(planner->tools.front()->spec().name, "create_artifact");

  put("a.yaml", "name: a\ntools: [set_tasks, calculator]\napproval: {tools: {calculator: auto}}");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(catalog_.find("a")->tools.size(), 1u);
  for (const std::string name : {"fail_task", "final_answer"}) {
    EXPECT_EQ(load_error("a.yaml", "name: a\ntools: [" + name + "]"), "a.yaml:2:9: unknown tool '" + name + "'");
  }
}

TEST_F(CatalogTest, EmptyBeforeItIsLoaded) {
  EXPECT_TRUE(catalog_.all().empty());
  EXPECT_FALSE(catalog_.find("assistant"));
}

TEST_F(CatalogTest, AFolderAddsAndOverrides) {
  put("b.yaml", "name: zebra\ntools: [calculator]");
  put("a.yml", "name: writer\ndescription: mine");
  put("readme.md", "not: an agent");
  put("sub/c.yaml", "nor this");
  ASSERT_TRUE(catalog_.load(folder_));
  std::vector<std::string> names;
  for (const auto& agent : catalog_.all()) names.push_back(agent->agent.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"analyst", "assistant", "operator", "planner", "support", "writer", "zebra"}));
  EXPECT_EQ(catalog_.find("writer")->agent.description, "mine");
}

TEST_F(CatalogTest, ARunKeepsTheAgentItBeganWith) {
  put("a.yaml", "name: a\ndescription: old");
  ASSERT_TRUE(catalog_.load(folder_));
  const auto kept = catalog_.find("a");
  put("a.yaml", "name: a\ndescription: new");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(kept->agent.description, "old");
  EXPECT_EQ(catalog_.find("a")->agent.description, "new");
  EXPECT_NE(catalog_.find("a")->agent.version, kept->agent.version);
}

TEST_F(CatalogTest, EveryFaultOfEveryFileAndNothingChanges) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  put("a.yaml", "name: a\nfoo: 1\nbar: 2");
  put("b.yaml", "name: b\ntools: [nothing]");
  put("c.yaml", "name: c");
  const auto status = catalog_.load(folder_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kBadField);
  EXPECT_EQ(status.error().message,
            "a.yaml:2:1: unknown key 'foo'\na.yaml:3:1: unknown key 'bar'\nb.yaml:2:9: unknown tool 'nothing'");
  EXPECT_EQ(catalog_.all().size(), 6u);
}

TEST_F(CatalogTest, OneNameOneFile) {
  put("a.yaml", "name: same");
  EXPECT_EQ(load_error("b.yaml", "name: same"), "b.yaml:1:1: agent 'same' is already in a.yaml");
}

TEST_F(CatalogTest, AModelThatCannotBeMade) {
  EXPECT_EQ(load_error("a.yaml", "name: a\nmodel: {name: broken}"), "a.yaml:2:8: no such model");
}

TEST_F(CatalogTest, AMissingFolder) {
  const auto status = catalog_.load(folder_ / "none");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("the agents folder cannot be read: No such file or directory"),
            std::string::npos);
}

TEST_F(CatalogTest, AFileThatIsNone) {
  fs::create_directory(folder_ / "a.yaml");
  EXPECT_EQ(load_error("b.yaml", "name: b"), "a.yaml:1:1: the file is not a file");
  fs::remove(folder_ / "a.yaml");
  EXPECT_EQ(load_error("a.yaml", std::string(300'000, '#')), "a.yaml:1:1: the file is larger than 256 KiB");
}

TEST_F(CatalogTest, InstructionsInAFile) {
  put("text/a.md", "Be kind.");
  put("a.yaml", "name: a\ninstructions: {file: text/a.md}");
  ASSERT_TRUE(catalog_.load(folder_));
  const auto first = catalog_.find("a");
  EXPECT_EQ(first->agent.instructions, "Be kind.");
  put("text/a.md", "Be brief.");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_NE(catalog_.find("a")->agent.version, first->agent.version) << "the version covers the instructions";
}

TEST_F(CatalogTest, InstructionsNeverLeaveTheFolder) {
  const auto error = [&](const std::string& file) {
    return load_error("a.yaml", "name: a\ninstructions: {file: '" + file + "'}");
  };
  const fs::path outside = fs::path(folder_.string() + "-outside");
  std::ofstream(outside) << "secret";
  fs::create_symlink(outside, folder_ / "link.md");
  for (const std::string& file : {"../" + outside.filename().string(), std::string("/etc/passwd"), std::string(""),
                                  std::string("x/../../y"), std::string("link.md")}) {
    EXPECT_EQ(error(file), "a.yaml:2:22: instructions file '" + file + "' must be inside the agent's folder");
  }
  EXPECT_EQ(error("none.md"), "a.yaml:2:22: instructions file 'none.md' is not there");
  EXPECT_EQ(error("."), "a.yaml:2:22: instructions file '.' is not a file");
  put("bad.md", "\xff");
  EXPECT_EQ(error("bad.md"), "a.yaml:2:22: instructions file 'bad.md' is not valid UTF-8");
  fs::remove(outside);
}

TEST_F(CatalogTest, KnowledgeOfAFolder) {
  put("docs/b.txt", "two");
  put("docs/a.md", "# One");
  put("docs/more/c.md", "three");
  put("docs/picture.png", "\xff");
  put("docs/.hidden.md", "\xff");
  put("docs/.git/x.md", "\xff");
  put("a.yaml", "name: a\ntools:\n  - knowledge: {folder: docs/}");
  ASSERT_TRUE(catalog_.load(folder_));
  const auto agent = catalog_.find("a");
  EXPECT_EQ(agent->agent.tools, std::vector<std::string>{"search_knowledge_base"});
  EXPECT_FALSE(agent->agent.knowledge) << "the texts are not kept twice";
  EXPECT_NE(agent->find_tool("search_knowledge_base"), tools_.at("search_knowledge_base").get());
  ASSERT_EQ(indexed_.size(), 1u);
  std::vector<std::string> documents;
  for (const auto& document : indexed_[0]) documents.push_back(document.name + "=" + document.text);
  EXPECT_EQ(documents, (std::vector<std::string>{"a.md=# One", "b.txt=two", "more/c.md=three"}));

  put("docs/b.txt", "changed");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_NE(catalog_.find("a")->agent.version, agent->agent.version) << "the version covers the documents";
  EXPECT_EQ(indexed_.back()[1].text, "changed");
}

TEST_F(CatalogTest, KnowledgeThatCannotBeIndexed) {
  put("docs/a.md", "too much");
  EXPECT_EQ(load_error("a.yaml", "name: a\ntools: [{knowledge: {folder: docs}}]"), "agent 'a': no memory");
}

class KnowledgeFolderTest : public CatalogTest {
 protected:
  std::string error(const std::string& folder = "docs") {
    const auto said = load_error("a.yaml", "name: a\ntools: [{knowledge: {folder: '" + folder + "'}}]");
    const std::string start = "a.yaml:2:30: knowledge folder '" + folder + "' ";
    EXPECT_TRUE(said.starts_with(start)) << said;
    return said.substr(std::min(said.size(), start.size()));
  }
};

TEST_F(KnowledgeFolderTest, IsWhereItShouldBe) {
  EXPECT_EQ(error(), "is not there");
  EXPECT_EQ(error(""), "is not there");
  put("file", "x");
  EXPECT_EQ(error("file"), "is not a folder");
  fs::create_directory(folder_ / "docs");
  EXPECT_EQ(error(), "has no .md or .txt file");
  EXPECT_EQ(error("/etc"), "must be inside the agent's folder");
  EXPECT_EQ(error("../" + folder_.filename().string()), "must be inside the agent's folder");
  fs::create_symlink("/etc", folder_ / "link");
  EXPECT_EQ(error("link"), "must be inside the agent's folder");
}

TEST_F(KnowledgeFolderTest, NoLinkLeadsOut) {
  put("docs/a.md", "inside");
  put("outside.md", "outside");
  fs::create_symlink("../outside.md", folder_ / "docs/b.md");
  EXPECT_EQ(error(), "has a file 'b.md' that leads out of it");
  fs::remove(folder_ / "docs/b.md");
  fs::create_symlink("/proc/self/cwd/x", folder_ / "docs/c.md");
  EXPECT_EQ(error(), "has a file 'c.md' that leads out of it");
  fs::remove(folder_ / "docs/c.md");
  fs::create_directory_symlink("/", folder_ / "docs/root");
  fs::create_directory_symlink("..", folder_ / "docs/up");
  fs::create_symlink("a.md", folder_ / "docs/same.md");
  ASSERT_TRUE(catalog_.load(folder_)) << "folders that are links are not entered";
  ASSERT_EQ(indexed_.back().size(), 2u);
  EXPECT_EQ(indexed_.back()[1].name, "same.md") << "a link that stays inside is as good as a file";
}

TEST_F(KnowledgeFolderTest, HasLimits) {
  put("docs/a.md", std::string(1024 * 1024 + 1, 'x'));
  EXPECT_EQ(error(), "has a file 'a.md' that is larger than 1 MiB");
  put("docs/a.md", "\xff");
  EXPECT_EQ(error(), "has a file 'a.md' that is not valid UTF-8");
  fs::remove(folder_ / "docs/a.md");
  ASSERT_EQ(::mkfifo((folder_ / "docs/pipe.md").c_str(), 0600), 0);
  EXPECT_EQ(error(), "has a file 'pipe.md' that is not a file");
  fs::remove(folder_ / "docs/pipe.md");
  for (int i = 0; i < 17; ++i) put("docs/" + std::to_string(i) + ".md", std::string(1024 * 1024, 'x'));
  EXPECT_EQ(error(), "is larger than 16 MiB");
  for (int i = 0; i < 1001; ++i) put("docs/" + std::to_string(i) + ".md", "x");
  EXPECT_EQ(error(), "has more than 1000 files");
  fs::remove_all(folder_ / "docs");
  put("docs/1/2/3/4/5/6/7/8/9/a.md", "x");
  EXPECT_EQ(error(), "is deeper than 8 folders");
}

TEST_F(CatalogTest, TheWebIsThereWhenItIsConfigured) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  EXPECT_EQ(catalog_.find("assistant")->agent.tools.back(), "file_rename");
  EXPECT_EQ(catalog_.find("planner")->agent.tools.back(), "current_datetime");
  EXPECT_EQ(load_error("a.yaml", "name: a\ntools: [web_search]"),
            "a.yaml:2:9: tool 'web_search' needs a search engine");

  auto with_web = sources();
  with_web.unavailable.clear();
  for (const std::string name : {"web_fetch", "web_search"}) {
    with_web.builtin.emplace(name, std::make_shared<testing::NamedTool>(name));
  }
  Catalog catalog{with_web, make_model, {"hang"}};
  ASSERT_TRUE(catalog.load(folder_));
  for (const std::string name : {"assistant", "planner"}) {
    const auto agent = catalog.find(name);
    EXPECT_TRUE(agent->find_tool("web_fetch")) << name;
    EXPECT_TRUE(agent->find_tool("web_search")) << name;
    EXPECT_EQ(agent->agent.tools.back(), "web_search");
  }
  EXPECT_FALSE(catalog.find("support")->find_tool("web_fetch"));
  EXPECT_TRUE(catalog.find("a"));
}

TEST(BuiltinAgents, NeedTheirTools) {
  const auto agents = builtin_agents(Vocabulary{});
  ASSERT_FALSE(agents);
  EXPECT_TRUE(agents.error().message.starts_with("builtin/assistant.yaml:12:5: unknown tool 'calculator'"))
      << agents.error().message;
}

}  // namespace
}  // namespace braidlog::agent
