// A catalog over a temporary folder, with tools, models and tool servers that do nothing.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/catalog.h"
#include "agent/testing/fake_tool_server.h"
#include "port/testing/fake_sandbox.h"

namespace braidlog::agent::testing {

class NoModel final : public Model {
 public:
  std::string_view provider() const override { return "none"; }
  std::string_view name() const override { return "none"; }
  std::unique_ptr<ModelCall> start(ModelRequest, ModelSink&, Loop&) override { return nullptr; }
};

class CatalogFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "agents-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void remove(const std::string& name) { std::filesystem::remove(folder_ / name); }

  static ToolMap make_tools() {
    ToolMap map;
    for (const char* name :
         {"calculator", "current_datetime", "file_read", "file_list", "file_write", "file_rename",
          "search_knowledge_base", "system_status", "alert_admin", "create_artifact", "read_artifact", "list_artifacts",
          "create_data_item", "read_data_item", "update_data_item", "delete_data_item"}) {
      map.emplace(name, std::make_shared<NamedTool>(name));
    }
    return map;
  }
  static Result<std::shared_ptr<Model>> make_model(const api::ModelSpec& spec) {
    if (spec.name == "broken") return fail(ErrorCode::kBadField, "no such model");
    return std::make_shared<NoModel>();
  }
  // Keeps what a knowledge tool would be made of.
  Result<std::shared_ptr<Tool>> make_knowledge(const api::KnowledgeDocuments& documents) {
    if (documents.at(0).text == "too much") return fail(ErrorCode::kInternal, "no memory");
    indexed_.push_back(documents);
    return std::make_shared<NamedTool>("search_knowledge_base");
  }
  static Result<std::shared_ptr<Tool>> make_http_tool(const api::HttpTool& tool) {
    if (tool.description == "odd") return fail(ErrorCode::kBadField, "this is too odd");
    return std::make_shared<NamedTool>(tool.name);
  }
  ToolSources sources() {
    return {.builtin = tools_,
            .make_knowledge = [this](const auto& documents) { return make_knowledge(documents); },
            .sandbox = sandbox_,
            .make_tool_server = servers_.factory(),
            .make_http_tool = make_http_tool,
            .environment = [](const std::string& name) -> std::optional<std::string> {
              return name.starts_with("SET_") ? std::optional<std::string>("value") : std::nullopt;
            },
            .unavailable = {{"web_search", "needs a search engine"}}};
  }

  // What is said of an agent file of this text.
  std::string load_error(const std::string& name, std::string_view text) {
    put(name, text);
    const auto status = catalog_.load(folder_);
    return status ? "" : status.error().message;
  }

  std::filesystem::path folder_;
  std::vector<api::KnowledgeDocuments> indexed_;
  const ToolMap tools_ = make_tools();
  const std::shared_ptr<Sandbox> sandbox_ = std::make_shared<::braidlog::testing::FakeSandbox>();
  FakeToolServers servers_;
  Catalog catalog_{sources(), make_model, {"hang"}};
};

}  // namespace braidlog::agent::testing
