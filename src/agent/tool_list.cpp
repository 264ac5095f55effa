#include "agent/tool_list.h"

#include <algorithm>
#include <utility>

#include "agent/knowledge_folder.h"

namespace braidlog::agent {

namespace {

constexpr const char* kKnowledge = "knowledge";

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class ToolListReader {
 public:
  ToolListReader(const Vocabulary& vocabulary, const std::optional<std::filesystem::path>& folder, Faults& faults)
      : vocabulary_(vocabulary), folder_(folder), faults_(faults) {}

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
    if (!node.IsScalar())
      return fault(node, "a tool must be the name of a built-in tool, or one name with its settings");
    const std::string& name = node.Scalar();
    if (name == kKnowledge) return add(node, kKnowledgeTool);
    if (!contains(vocabulary_.tools, name)) {
      auto known = vocabulary_.tools;
      known.push_back(kKnowledge);
      return fault(node, "unknown tool '" + name + "'" + hint(name, known));
    }
    add(node, name);
  }

  void read_settings(const YAML::Node& node, const std::string& name, const YAML::Node& settings) {
    if (name == kKnowledge) return read_knowledge(node, settings);
    if (name == "mcp" || name == "http") {
      return fault(node, "a tool of kind '" + name + "' is not available yet in this version");
    }
    if (contains(vocabulary_.tools, name)) return fault(node, "tool '" + name + "' has no settings");
    fault(node, "unknown kind of tool '" + name + "'" + hint(name, {kKnowledge}));
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
    auto documents = read_knowledge_folder(*folder_, folder->Scalar());
    if (!documents) return fault(*folder, documents.error().message);
    list_.knowledge = std::move(*documents);
    add(node, kKnowledgeTool);
  }

  void add(const YAML::Node& node, const std::string& name) {
    // A second time is a fault, but no reason to doubt what is said of the tools elsewhere.
    if (contains(list_.names, name)) return faults_.add(node.Mark(), "tool '" + name + "' is there twice");
    list_.names.push_back(name);
  }

  const Vocabulary& vocabulary_;
  const std::optional<std::filesystem::path>& folder_;
  Faults& faults_;
  ToolList list_;
};

}  // namespace

ToolList read_tools(const YAML::Node& node, const Vocabulary& vocabulary,
                    const std::optional<std::filesystem::path>& folder, Faults& faults) {
  return ToolListReader(vocabulary, folder, faults).read(node);
}

}  // namespace braidlog::agent
