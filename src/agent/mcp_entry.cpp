#include "agent/mcp_entry.h"

#include <utility>

#include "agent/url_rules.h"
#include "agent/value_reader.h"

namespace braidlog::agent {

namespace {

// Leaves half of what providers take for a tool's name to the tool itself.
constexpr std::size_t kNameBytesMax = 32;

class McpEntryReader {
 public:
  McpEntryReader(const Vocabulary& vocabulary, Faults& faults) : vocabulary_(vocabulary), faults_(faults) {}

  api::McpServer read(const YAML::Node& node) {
    YamlMap map(node, "'mcp'", faults_);
    const auto name = map.take("name");
    const auto command = map.take("command");
    const auto url = map.take("url");
    const auto env = map.take("env");
    const auto headers = map.take("headers");
    const auto addresses = map.take("addresses");
    if (auto list = map.take("reads")) server_.reads = read_texts(*list, "reads", faults_);
    if (auto list = map.take("tools")) read_tools(*list);
    if (auto value = map.take("timeout")) server_.timeout = read_timeout(*value, "timeout", faults_);
    map.finish();
    if (!node.IsMap()) return {};
    read_name(node, name);
    if (command && url) {
      fault(*url, "'mcp' has a 'command' or a 'url', not both");
    } else if (command) {
      read_command(*command);
    } else if (url) {
      read_url(*url);
    } else {
      fault(node, "'mcp' needs a 'command' to start or a 'url' to connect to");
    }
    if (env) read_env(*env, url && !command);
    const bool only_command = command && !url;
    if (headers) read_url_headers(*headers, only_command);
    if (addresses) read_addresses(*addresses, only_command);
    if (!server_.tools.empty()) check_reads();
    return std::move(server_);
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }

  void read_name(const YAML::Node& node, const std::optional<YAML::Node>& name) {
    if (!name) return fault(node, "'mcp' needs a 'name': its tools are called NAME__TOOL");
    const std::string text = name->IsScalar() ? name->Scalar() : "";
    const bool is_clear = text.find(kServerSeparator) == std::string::npos && !text.ends_with('_');
    if (!is_tool_name(text, kNameBytesMax) || !is_clear) {
      return fault(
          *name,
          "'name' of an MCP server must be 1 to 32 letters, digits, hyphens or single underscores, and not end "
          "with one");
    }
    server_.name = text;
  }

  void read_command(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) {
      return fault(node, "'command' must be a list: the program and its arguments, as in [npx, \"@scope/server\", .]");
    }
    for (const auto& item : node) {
      const bool is_program = server_.command.empty();
      if (!item.IsScalar() || (is_program && item.Scalar().empty()) || item.Scalar().find('\0') != std::string::npos) {
        return fault(item, "'command' must be a list of texts");
      }
      server_.command.push_back(item.Scalar());
    }
  }

  void read_url(const YAML::Node& node) {
    const std::string url = node.IsScalar() ? node.Scalar() : "";
    if (auto good = check_request_url(url); !good) return fault(node, "'url' " + good.error().message);
    server_.url = url;
  }

  void read_env(const YAML::Node& node, bool has_url) {
    if (has_url) return fault(node, "'env' is for a 'command'; a 'url' has 'headers'");
    server_.env = read_variable_names(node, "env", vocabulary_.environment, faults_);
  }

  void read_url_headers(const YAML::Node& node, bool has_command) {
    if (has_command) return fault(node, "'headers' are for a 'url'; a 'command' has 'env'");
    server_.headers = read_headers(node, vocabulary_.environment, faults_);
  }

  void read_addresses(const YAML::Node& node, bool has_command) {
    if (has_command) return fault(node, "'addresses' are for a 'url'");
    server_.addresses = read_networks(node, "addresses", faults_);
  }

  void read_tools(const YAML::Node& node) {
    server_.tools = read_texts(node, "tools", faults_);
    if (node.IsSequence() && node.size() == 0)
      fault(node, "'tools' is empty: leave it out for all tools of the server");
    tools_ = node;
  }

  // What is called reading and is not there is a slip of the pen, and a dangerous one to pass over: the tool that was
  // meant would then ask for approval, or the one that was not meant would not.
  void check_reads() {
    for (const auto& name : server_.reads) {
      if (contains(server_.tools, name)) continue;
      fault(*tools_, "'reads' names '" + name + "', which is not among 'tools'" + hint(name, server_.tools));
    }
  }

  const Vocabulary& vocabulary_;
  Faults& faults_;
  api::McpServer server_;
  std::optional<YAML::Node> tools_;
};

}  // namespace

api::McpServer read_mcp_server(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults) {
  return McpEntryReader(vocabulary, faults).read(node);
}

}  // namespace braidlog::agent
