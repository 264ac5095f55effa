#include "agent/tool_list.h"

#include <algorithm>
#include <utility>

#include "agent/http_entry.h"
#include "agent/knowledge_folder.h"
#include "agent/mcp_entry.h"
#include "agent/value_reader.h"
#include "event/engine_tools.h"

namespace braidlog::agent {

namespace {

constexpr const char* kKnowledge = "knowledge";
constexpr const char* kMcp = "mcp";
constexpr const char* kHttp = "http";

class ToolListReader {
 public:
  ToolListReader(const Vocabulary& vocabulary, const std::optional<std::filesystem::path>& folder, api::Style style,
                 Faults& faults)
      : vocabulary_(vocabulary), folder_(folder), style_(style), faults_(faults) {}

  ToolList read(const YAML::Node& node) {
    if (!node.IsSequence()) {
      fault(node, "'tools' must be a list");
    } else {
      for (const auto& item : node) read_tool(item);
    }
    return std::move(list_);
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) {
    list_.sound = false;
    faults_.add(node.Mark(), what);
  }

  void read_tool(const YAML::Node& node) {
    if (node.IsMap() && node.size() == 1 && node.begin()->first.IsScalar()) {
      return read_settings(node, node.begin()->first.Scalar(), node.begin()->second);
    }
    if (!node.IsScalar()) {
      return fault(node, "a tool must be the name of a built-in tool, or one name with its settings");
    }
    const std::string& name = node.Scalar();
    if (name == kKnowledge) return add(node, kKnowledgeTool);
    if (name == kMcp || name == kHttp)
      return fault(node, "'" + name + "' needs settings, as in " + name + ": {name: NAME, …}");
    if (contains(vocabulary_.tools, name)) return add(node, name);
    if (const auto reason = vocabulary_.unavailable.find(name); reason != vocabulary_.unavailable.end()) {
      return fault(node, "tool '" + name + "' " + reason->second);
    }
    auto known = vocabulary_.tools;
    known.push_back(kKnowledge);
    fault(node, "unknown tool '" + name + "'" + hint(name, known));
  }

  void read_settings(const YAML::Node& node, const std::string& name, const YAML::Node& settings) {
    if (name == kKnowledge) return read_knowledge(node, settings);
    if (name == kMcp) return read_mcp(node, settings);
    if (name == kHttp) return read_http(node, settings);
    if (contains(vocabulary_.tools, name)) return fault(node, "tool '" + name + "' has no settings");
    fault(node, "unknown kind of tool '" + name + "'" + hint(name, {kKnowledge, kMcp, kHttp}));
  }

  void read_knowledge(const YAML::Node& node, const YAML::Node& settings) {
    if (!settings.IsMap()) {
      // Where there is nothing, there is no place to point to.
      return fault(settings.IsNull() ? node : settings,
                   "'knowledge' must be a mapping, as in knowledge: {folder: NAME}");
    }
    YamlMap map(settings, "'knowledge'", faults_);
    const auto folder = map.take("folder");
    map.finish();
    if (!folder) return fault(settings, "'knowledge' needs a 'folder'");
    if (!folder->IsScalar()) return fault(*folder, "'folder' must be a text");
    if (!folder_) return fault(*folder, "knowledge cannot be in a folder here");
    list_.folders.push_back(folder->Scalar());
    auto documents = read_knowledge_folder(*folder_, folder->Scalar());
    if (!documents) return fault(*folder, documents.error().message);
    list_.knowledge = std::move(*documents);
    add(node, kKnowledgeTool);
  }

  void read_mcp(const YAML::Node& node, const YAML::Node& settings) {
    if (!settings.IsMap()) {
      return fault(settings.IsNull() ? node : settings,
                   "'mcp' must be a mapping, as in mcp: {name: NAME, command: [PROGRAM]}");
    }
    const std::size_t faults_before = faults_.size();
    auto server = read_mcp_server(settings, vocabulary_, faults_);
    if (!folder_) fault(node, "a server of tools cannot be named here");
    if (faults_.size() != faults_before) list_.sound = false;
    if (server.name.empty()) return;
    check_function_name(node, server.name);
    const bool is_known =
        std::ranges::any_of(list_.mcp_servers, [&](const auto& one) { return one.name == server.name; });
    if (is_known) return faults_.add(node.Mark(), "MCP server '" + server.name + "' is there twice");
    if (folder_) server.folder = std::filesystem::absolute(*folder_).lexically_normal().string();
    list_.names.push_back(all_tools_of(server.name));
    list_.mcp_servers.push_back(std::move(server));
    for (const auto& tool : list_.http_tools) check_prefix(node, tool.name);
  }

  void read_http(const YAML::Node& node, const YAML::Node& settings) {
    if (!settings.IsMap()) {
      return fault(settings.IsNull() ? node : settings,
                   "'http' must be a mapping, as in http: {name: NAME, description: TEXT, url: URL}");
    }
    const std::size_t faults_before = faults_.size();
    auto tool = read_http_tool(settings, vocabulary_, faults_);
    if (faults_.size() != faults_before) list_.sound = false;
    if (tool.name.empty()) return;
    if (is_engine_tool(tool.name) || contains(vocabulary_.tools, tool.name) ||
        vocabulary_.unavailable.contains(tool.name)) {
      return fault(settings, "'" + tool.name + "' is the name of a built-in tool: call this one something else");
    }
    check_function_name(node, tool.name);
    check_prefix(node, tool.name);
    add(node, tool.name);
    list_.http_tools.push_back(std::move(tool));
  }

  void check_function_name(const YAML::Node& node, const std::string& name) {
    if (style_ == api::Style::kTools || is_variable_name(name)) return;
    fault(node,
          "'" + name + "' cannot be called from code, as 'style: code' needs it: use letters, digits and underscores");
  }

  // A tool of that server could have this very name.
  void check_prefix(const YAML::Node& node, const std::string& tool) {
    for (const auto& server : list_.mcp_servers) {
      if (!tool.starts_with(server.name + std::string(kServerSeparator))) continue;
      fault(node, "tool '" + tool + "' is named like a tool of MCP server '" + server.name + "'");
    }
  }

  void add(const YAML::Node& node, const std::string& name) {
    // A second time is a fault, but no reason to doubt what is said of the tools elsewhere.
    if (contains(list_.names, name)) return faults_.add(node.Mark(), "tool '" + name + "' is there twice");
    list_.names.push_back(name);
  }

  const Vocabulary& vocabulary_;
  const std::optional<std::filesystem::path>& folder_;
  const api::Style style_;
  Faults& faults_;
  ToolList list_;
};

}  // namespace

std::string all_tools_of(const std::string& mcp_server) {
  return mcp_server + std::string(kServerSeparator) + "*";
}

std::vector<std::string> ToolList::own_names() const {
  auto own = names;
  for (const auto& server : mcp_servers) std::erase(own, all_tools_of(server.name));
  return own;
}

bool ToolList::may_have(std::string_view tool) const {
  if (contains(own_names(), tool)) return true;
  return std::ranges::any_of(mcp_servers, [&](const api::McpServer& server) {
    const std::string prefix = server.name + std::string(kServerSeparator);
    if (!tool.starts_with(prefix)) return false;
    const auto own = tool.substr(prefix.size());
    if (!is_tool_name(own)) return false;
    // A name that providers would not take is spelled in another way once the server is up.
    const auto is_respelled = [&](const std::string& name) { return !is_tool_name(prefix + name); };
    return server.tools.empty() || contains(server.tools, own) || std::ranges::any_of(server.tools, is_respelled);
  });
}

ToolList read_tools(const YAML::Node& node, const Vocabulary& vocabulary,
                    const std::optional<std::filesystem::path>& folder, api::Style style, Faults& faults) {
  return ToolListReader(vocabulary, folder, style, faults).read(node);
}

}  // namespace braidlog::agent
