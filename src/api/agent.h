// What an agent is: the YAML file of the operator, or one of the binary's own, as a value.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace braidlog::api {

enum class Policy { kAsk, kAuto, kDeny };
enum class OnReject { kContinue, kEnd };

struct ModelSpec {
  std::string provider = "auto";  // auto, offline or openai
  std::string name;
  std::optional<double> temperature;
  std::optional<unsigned> max_tokens;             // of one answer
  std::string base_url;                           // openai: another server than the environment's
  std::string api_key_env;                        // openai: the variable that holds the key for it
  std::optional<std::chrono::milliseconds> pace;  // offline model: time per word
  std::string fail;                               // offline model: how to fail
};

struct ApprovalRules {
  Policy fallback = Policy::kAsk;
  std::map<std::string, Policy> tools;
  std::optional<std::chrono::milliseconds> timeout;  // absent: the server's limit
  OnReject on_reject = OnReject::kContinue;

  Policy for_tool(const std::string& tool) const {
    const auto found = tools.find(tool);
    return found == tools.end() ? fallback : found->second;
  }
};

struct Agent {
  std::string name;
  std::string version;  // a digest of its text: a run records what it ran with
  std::string description;
  ModelSpec model;
  std::string instructions;
  unsigned max_steps = 12;
  ApprovalRules approval;
  std::vector<std::string> tools;
};

using AgentList = std::vector<Agent>;

}  // namespace braidlog::api
