// MCP servers as an agent has them, and a run's loop that calls their tools.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/io_thread.h"
#include "tool/mcp/mcp_servers.h"
#include "tool/mcp/spawn.h"

namespace braidlog::tool::testing {

inline constexpr std::chrono::seconds kPatience{30};

inline bool eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// A call under way; let go of, it is cancelled.
class PendingTool {
 public:
  PendingTool(IoThread& loop, std::shared_ptr<Tool> tool, std::string_view args) : loop_(loop), tool_(std::move(tool)) {
    ToolInvocation invocation;
    invocation.args = parse_json(args).value();
    const auto fits = tool_->check(invocation.args);
    EXPECT_TRUE(fits) << fits.error().message;
    loop_.run_and_wait([&] {
      run_ = tool_->start(std::move(invocation), loop_, [this](ToolOutcome outcome) {
        const std::lock_guard lock(mutex_);
        outcome_ = std::move(outcome);
        changed_.notify_all();
      });
    });
  }
  ~PendingTool() { cancel(); }

  void cancel() {
    loop_.run_and_wait([&] { run_.reset(); });
  }
  ToolOutcome wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [&] { return outcome_.has_value(); })) {
      ADD_FAILURE() << tool_->spec().name << " never ended";
      return ToolOutcome::error(ToolStatus::kToolError, "never ended");
    }
    return *outcome_;
  }

 private:
  IoThread& loop_;
  std::shared_ptr<Tool> tool_;
  std::unique_ptr<ToolRun> run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ToolOutcome> outcome_;
};

class McpTest : public ::testing::Test {
 protected:
  McpTest() {
    limits_.mcp_start_timeout = std::chrono::milliseconds(20'000);
    for (const char* name : {"PATH", "HOME", "LANG"}) {
      if (const auto value = process_environment(name)) environment_[name] = *value;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "braidlog-mcp-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    loop_.start();
  }
  ~McpTest() override {
    held_.clear();
    servers_.reset();
    std::filesystem::remove_all(folder_);
  }

  McpServers& servers() {
    if (!servers_) {
      servers_ = std::make_unique<McpServers>(
          limits_,
          [variables = environment_](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
          },
          std::make_shared<const OutboundRules>());
    }
    return *servers_;
  }

  static std::string script(const std::string& name) {
    return std::string(BRAIDLOG_SOURCE_DIR) + "/src/tool/mcp/testing/" + name;
  }
  std::string mark_file() const { return folder_ + "/marks"; }
  // The fake server as a program.
  api::McpServer fake(const std::vector<std::string>& options = {}) const {
    api::McpServer server;
    server.name = "fake";
    server.command = {"/usr/bin/python3", "-B", script("fake_server.py"), "--mark", mark_file()};
    server.command.insert(server.command.end(), options.begin(), options.end());
    server.folder = folder_;
    return server;
  }

  std::shared_ptr<ToolServer> start(const api::McpServer& entry) {
    auto made = servers().make(entry, [this] { ++changes_; });
    EXPECT_TRUE(made) << made.error().message;
    (*made)->wait_until_ready();
    held_.push_back(*made);
    return *made;
  }

  static std::shared_ptr<Tool> tool(ToolServer& server, const std::string& name) {
    for (const auto& tool : server.tools()) {
      if (tool->spec().name == name) return tool;
    }
    ADD_FAILURE() << "no tool " << name << "; trouble: " << server.trouble();
    return nullptr;
  }
  ToolOutcome call(ToolServer& server, const std::string& name, std::string_view args = "{}") {
    const auto found = tool(server, name);
    return found ? PendingTool(loop_, found, args).wait() : ToolOutcome{};
  }

  std::vector<std::string> marks() const {
    std::ifstream file(mark_file());
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line);) out.push_back(line);
    return out;
  }
  std::size_t count_marks(std::string_view beginning) const {
    std::size_t count = 0;
    for (const auto& mark : marks()) count += mark.starts_with(beginning) ? 1 : 0;
    return count;
  }

  SystemClock clock_;
  IoThread loop_{0, clock_};
  Limits limits_;
  std::map<std::string, std::string> environment_;
  std::string folder_;
  std::atomic<int> changes_{0};
  std::unique_ptr<McpServers> servers_;
  std::vector<std::shared_ptr<ToolServer>> held_;
};

}  // namespace braidlog::tool::testing
