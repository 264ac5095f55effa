#include "agent/catalog.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/builtin_agents.h"
#include "agent/folder.h"

namespace braidlog::agent {
namespace {

namespace fs = std::filesystem;

class NamedTool final : public Tool {
 public:
  explicit NamedTool(std::string name) { spec_.name = std::move(name); }
  const ToolSpec& spec() const override { return spec_; }
  Status check(const json::value&) const override { return {}; }
  std::unique_ptr<ToolRun> start(ToolInvocation, Loop&, UniqueFunction<void(ToolOutcome)>) override { return nullptr; }

 private:
  ToolSpec spec_;
};

class NoModel final : public Model {
 public:
  std::string_view provider() const override { return "none"; }
  std::string_view name() const override { return "none"; }
  std::unique_ptr<ModelCall> start(ModelRequest, ModelSink&, Loop&) override { return nullptr; }
};

class CatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "agents-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, std::string_view text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  static ToolMap tools() {
    ToolMap map;
    for (const char* name : {"calculator", "current_datetime", "file_read", "file_list", "file_write", "file_rename"}) {
      map.emplace(name, std::make_shared<NamedTool>(name));
    }
    return map;
  }
  static Result<std::shared_ptr<Model>> make_model(const api::ModelSpec& spec) {
    if (spec.name == "broken") return fail(ErrorCode::kBadField, "no such model");
    return std::make_shared<NoModel>();
  }

  // The only line of what goes wrong with an agent file of this text.
  std::string load_error(const std::string& name, std::string_view text) {
    put(name, text);
    const auto status = catalog_.load(folder_);
    return status ? "" : status.error().message;
  }

  fs::path folder_;
  Catalog catalog_{tools(), make_model, {"hang"}};
};

TEST_F(CatalogTest, TheBinaryBringsItsAgents) {
  ASSERT_TRUE(catalog_.load(std::nullopt));
  const auto assistant = catalog_.find(catalog_.default_for("chat"));
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
  EXPECT_EQ(catalog_.all().size(), 2u);
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
  EXPECT_EQ(names, (std::vector<std::string>{"assistant", "writer", "zebra"}));
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
  EXPECT_EQ(catalog_.all().size(), 2u);
}

TEST_F(CatalogTest, OneNameOneFile) {
  put("a.yaml", "name: same");
  EXPECT_EQ(load_error("b.yaml", "name: same"), "b.yaml:1:1: agent 'same' is already in a.yaml");
}

TEST_F(CatalogTest, AModelThatCannotBeMade) {
  EXPECT_EQ(load_error("a.yaml", "name: a\nmodel: {name: broken}"), "agent 'a': no such model");
}

TEST_F(CatalogTest, ReplaceChecksWhatItGets) {
  EXPECT_EQ(catalog_.replace({{.name = "a"}, {.name = "a"}}).error().message, "agent 'a' is there twice");
  EXPECT_EQ(catalog_.replace({{.name = "a", .tools = {"x"}}}).error().message, "agent 'a': unknown tool 'x'");
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

TEST(BuiltinAgents, NeedTheirTools) {
  const auto agents = builtin_agents(Vocabulary{});
  ASSERT_FALSE(agents);
  EXPECT_TRUE(agents.error().message.starts_with("builtin/assistant.yaml:11:5: unknown tool 'calculator'"))
      << agents.error().message;
}

}  // namespace
}  // namespace braidlog::agent
