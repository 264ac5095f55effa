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
  std::string provider = "auto";  // auto, offline, openai or anthropic
  std::string name;
  std::optional<double> temperature;
  std::optional<unsigned> max_tokens;             // of one answer
  std::optional<unsigned> context_tokens;         // what the model can read at once; absent: the server's limit
  std::string base_url;                           // another server than the environment's
  std::string api_key_env;                        // the variable that holds the key for it
  bool returns_reasoning = false;                 // openai: the server wants its reasoning back with the tool calls
  std::optional<std::chrono::milliseconds> pace;  // offline model: time per word
  std::string fail;                               // offline model: how to fail
  std::vector<ModelSpec> fallback{};              // asked in this order when the one before does not answer
};

// A server of tools that speaks MCP: a command, or a URL. Its tools are called name__tool.
struct McpServer {
  std::string name;
  std::vector<std::string> command{};  // empty: `url`
  std::vector<std::string> env{};      // variables that the command gets besides PATH, HOME and LANG
  std::string folder{};                // where the command runs: the folder of the agent file
  std::string url{};
  std::map<std::string, std::string> headers{};        // with `url`; ${NAME} in a value is an environment variable
  std::vector<std::string> addresses{};                // with `url`: networks that are not public and may be reached
  std::vector<std::string> reads{};                    // its tools that only read
  std::vector<std::string> tools{};                    // of its tools only these; empty: all
  std::optional<std::chrono::milliseconds> timeout{};  // of a call; absent: the server's limit
  bool operator==(const McpServer&) const = default;
};

// A tool that is one HTTP request.
struct HttpTool {
  std::string name;
  std::string description{};
  std::string method = "GET";     // GET, POST, PUT, PATCH or DELETE
  std::string url;                // {argument} is replaced by its value, percent-encoded; never in scheme, host or port
  std::string parameters_json{};  // JSON schema of the arguments
  std::map<std::string, std::string> headers{};  // ${NAME} in a value is an environment variable
  bool writes = true;
  bool idempotent = false;
  std::optional<std::chrono::milliseconds> timeout{};  // absent: the server's limit
  std::optional<std::size_t> response_bytes_max{};     // absent: the server's limit
  std::vector<std::string> addresses{};                // networks that are not public and may be reached
  bool operator==(const HttpTool&) const = default;
};

struct ApprovalRules {
  Policy fallback = Policy::kAsk;
  std::map<std::string, Policy> tools;
  std::optional<std::chrono::milliseconds> timeout;  // absent: the server's limit
  OnReject on_reject = OnReject::kContinue;

  // A rule for this very tool counts whatever it does; the agent's default only for tools that write.
  bool passes(const std::string& tool, bool writes) const { return !writes && !tools.contains(tool); }
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
  std::vector<std::string> tools;  // their names; those of MCP servers once a catalog knows them
  std::vector<McpServer> mcp_servers{};
  std::vector<HttpTool> http_tools{};
  // What search_knowledge_base searches for this agent; none: the documents in the binary. A catalog makes the tool of
  // it and lets go of the texts.
  std::shared_ptr<const KnowledgeDocuments> knowledge{};
};

// What people are shown of a tool.
struct ToolInfo {
  std::string name;
  std::string description;
  std::string parameters_json;  // JSON schema of the arguments
  bool writes = true;
  bool idempotent = false;
  Policy policy = Policy::kAsk;  // what happens to a call of it
};
// What people are shown of an agent.
struct AgentInfo {
  Agent agent;
  std::string provider, model;            // who answers now
  std::vector<std::string> default_of{};  // contracts
  std::vector<ToolInfo> tools{};
  std::optional<std::string> file{};  // of the agents folder; none: it is one of the binary's own
  std::optional<std::string> yaml{};  // as it was loaded; for admins alone
};
// A file of the agents folder that was not loaded.
struct AgentFault {
  std::string file;                // empty: it is the folder itself
  std::vector<std::string> lines;  // one per fault
  std::string kept{};              // the agent that goes on as this file last described it; empty: none
};
struct AgentsInfo {
  std::vector<AgentInfo> agents;     // by name
  std::vector<AgentFault> faults{};  // of the last load; for admins alone
};
struct ListAgents {
  using ReplyValue = AgentsInfo;
  std::vector<std::string> contracts{};  // whose default agents are to be told
};

// kAgentNotFound when there is none of that name.
struct GetAgent {
  using ReplyValue = Agent;
  std::string name;
};

}  // namespace braidlog::api
