// What an agent is: the YAML file of the operator, or one of the binary's own, as a value.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace braidlog::api {

enum class Policy { kAsk, kAuto, kDeny };
enum class OnReject { kContinue, kEnd };
enum class Style { kTools, kCode };  // an action is tool calls, or code for the sandbox

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

// A text that an agent may search. Its name is its path below the knowledge folder.
struct KnowledgeDocument {
  std::string name;
  std::string text;
};
using KnowledgeDocuments = std::vector<KnowledgeDocument>;

struct Agent {
  std::string name;
  std::string version;  // a digest of its text: a run records what it ran with
  std::string description;
  ModelSpec model;
  std::string instructions;
  Style style = Style::kTools;
  unsigned planning_interval = 3;  // actions between two plans, where the contract has plans; 0: no plans
  unsigned max_steps = 12;
  ApprovalRules approval;
  std::vector<std::string> tools;  // their names
  // What search_knowledge_base searches for this agent; none: the documents in the binary. A catalog makes the tool of
  // it and lets go of the texts.
  std::shared_ptr<const KnowledgeDocuments> knowledge{};
};

using AgentList = std::vector<Agent>;
// kAgentNotFound when there is none of that name.
struct GetAgent {
  using ReplyValue = Agent;
  std::string name;
};

}  // namespace braidlog::api
