#include "agent/parser.h"

#include <algorithm>
#include <utility>

#include "agent/approval_reader.h"
#include "agent/digest.h"
#include "agent/instructions_file.h"
#include "agent/model_reader.h"
#include "agent/tool_list.h"
#include "agent/value_reader.h"
#include "agent/yaml_reader.h"
#include "base/utf8.h"

namespace braidlog::agent {

namespace {

constexpr std::size_t kFileBytesMax = 256 * 1024;
constexpr std::size_t kNameBytesMax = 64;
constexpr unsigned kStepsMax = 64;
constexpr unsigned kPlanningIntervalMax = 100;

bool is_agent_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What stands in the place of an agent's name in the server's own routes.
bool is_one_of_our_routes(std::string_view name) {
  return name == "stream" || name == "history" || name == "conversations";
}

class AgentReader {
 public:
  AgentReader(Faults& faults, const Vocabulary& vocabulary, const std::optional<std::filesystem::path>& folder)
      : faults_(faults), vocabulary_(vocabulary), folder_(folder) {}

  api::Agent read(const YAML::Node& root) {
    YamlMap map(root, "an agent file", faults_);
    if (!root.IsMap()) return {};
    read_name(map, root.Mark());
    if (auto text = map.take_string("description")) agent_.description = std::move(*text);
    if (auto node = map.take("model")) agent_.model = read_model(*node, vocabulary_, faults_);
    if (auto node = map.take("instructions")) read_instructions(*node);
    read_style(map);
    if (auto node = map.take("planning")) read_planning(*node);
    if (auto node = map.take("max_steps")) read_max_steps(*node);
    // After the tools, so that a policy can be checked against them.
    const auto approval = map.take("approval");
    if (auto node = map.take("tools")) tools_ = read_tools(*node, vocabulary_, folder_, agent_.style, faults_);
    if (approval) agent_.approval = read_approval(*approval, tools_, faults_);
    agent_.tools = tools_.names;
    agent_.mcp_servers = tools_.mcp_servers;
    agent_.http_tools = tools_.http_tools;
    agent_.knowledge = tools_.knowledge;
    map.finish();
    return std::move(agent_);
  }

  // What of the agent stands in other files.
  std::string other_texts() const {
    std::string texts = instructions_text_;
    if (!tools_.knowledge) return texts;
    for (const auto& document : *tools_.knowledge) texts += document.name + '\n' + document.text;
    return texts;
  }

  NamedFiles named_files() const {
    NamedFiles named{.folders = tools_.folders};
    if (!instructions_file_.empty()) named.files.push_back(instructions_file_);
    return named;
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }

  void read_name(YamlMap& map, const YAML::Mark& file) {
    const auto node = map.take("name");
    if (!node) return faults_.add(file, "'name' is missing");
    if (!node->IsScalar() || !is_agent_name(node->Scalar())) {
      return fault(*node, "'name' must be 1 to 64 letters, digits or hyphens");
    }
    if (is_one_of_our_routes(node->Scalar())) {
      return fault(*node,
                   "'" + node->Scalar() + "' cannot be a name: /agent/" + node->Scalar() + " is an address of its own");
    }
    agent_.name = node->Scalar();
  }

  void read_instructions(const YAML::Node& node) {
    if (node.IsScalar()) {
      agent_.instructions = node.Scalar();
      return;
    }
    if (!node.IsMap()) return fault(node, "'instructions' must be a text or {file: NAME}");
    YamlMap map(node, "'instructions'", faults_);
    const auto file = map.take("file");
    map.finish();
    if (!file || !file->IsScalar()) return fault(node, "'instructions' must be a text or {file: NAME}");
    if (!folder_) return fault(*file, "instructions cannot be in a file here");
    instructions_file_ = file->Scalar();
    auto text = read_instructions_file(*folder_, file->Scalar());
    if (!text) return fault(*file, text.error().message);
    agent_.instructions = *text;
    instructions_text_ = std::move(*text);
  }

  void read_style(YamlMap& map) {
    const auto node = map.take("style");
    if (!node) return;
    const std::string style = node->IsScalar() ? node->Scalar() : "";
    if (style != "tools" && style != "code") return fault(*node, "'style' must be tools or code");
    agent_.style = style == "code" ? api::Style::kCode : api::Style::kTools;
  }

  void read_planning(const YAML::Node& node) {
    YamlMap map(node, "'planning'", faults_);
    if (auto interval = map.take("interval")) {
      const auto count = whole_number(*interval);
      if (!count || *count > kPlanningIntervalMax) {
        fault(*interval, "'interval' must be a number from 0 to 100");
      } else {
        agent_.planning_interval = *count;
      }
    }
    map.finish();
  }

  void read_max_steps(const YAML::Node& node) {
    const auto value = whole_number(node);
    if (!value || *value < 1 || *value > kStepsMax) return fault(node, "'max_steps' must be a number from 1 to 64");
    agent_.max_steps = *value;
  }

  Faults& faults_;
  const Vocabulary& vocabulary_;
  const std::optional<std::filesystem::path>& folder_;
  api::Agent agent_;
  std::string instructions_file_, instructions_text_;  // where the instructions have a file of their own
  ToolList tools_;
};

YAML::Mark start_of_file() {
  return YAML::Mark();
}

}  // namespace

Result<api::Agent> parse_agent(std::string_view yaml, std::string_view file_name, const Vocabulary& vocabulary,
                               const std::optional<std::filesystem::path>& folder, NamedFiles* named) {
  if (named != nullptr) *named = {};
  Faults faults(file_name);
  const auto failed = [&] { return fail(ErrorCode::kBadField, faults.text()); };
  if (yaml.size() > kFileBytesMax) {
    faults.add(start_of_file(), "the file is larger than 256 KiB");
    return failed();
  }
  if (!is_valid_utf8(yaml)) {
    faults.add(start_of_file(), "the file is not valid UTF-8");
    return failed();
  }
  try {
    const auto documents = YAML::LoadAll(std::string(yaml));
    if (documents.size() != 1) {
      faults.add(start_of_file(), "the file must hold one YAML document");
      return failed();
    }
    AgentReader reader(faults, vocabulary, folder);
    api::Agent agent = reader.read(documents[0]);
    if (named != nullptr) *named = reader.named_files();
    if (!faults.empty()) return failed();
    agent.version = digest(std::string(yaml) + reader.other_texts());
    return agent;
  } catch (const YAML::Exception& error) {
    faults.add(error.mark, error.msg);
    return failed();
  }
}

}  // namespace braidlog::agent
