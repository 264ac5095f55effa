#include "agent/parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/digest.h"
#include "agent/instructions_file.h"
#include "agent/tool_list.h"
#include "agent/yaml_reader.h"
#include "base/duration.h"
#include "base/utf8.h"
#include "wire/url.h"

namespace braidlog::agent {

namespace {

constexpr std::size_t kFileBytesMax = 256 * 1024;
constexpr std::size_t kNameBytesMax = 64;
constexpr unsigned kStepsMax = 64;
constexpr unsigned kPlanningIntervalMax = 100;
constexpr double kTemperatureMax = 2.0;

bool is_agent_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What stands in the place of an agent's name in the server's own routes.
bool is_one_of_our_routes(std::string_view name) {
  return name == "stream" || name == "history" || name == "conversations";
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

std::optional<unsigned> whole_number(const YAML::Node& node) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  unsigned value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
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
    if (auto node = map.take("model")) read_model(*node);
    if (auto node = map.take("instructions")) read_instructions(*node);
    read_style(map);
    if (auto node = map.take("planning")) read_planning(*node);
    if (auto node = map.take("max_steps")) read_max_steps(*node);
    // After the tools, so that a policy can be checked against them.
    const auto approval = map.take("approval");
    if (auto node = map.take("tools")) tools_ = read_tools(*node, vocabulary_, folder_, faults_);
    agent_.tools = tools_.names;
    agent_.knowledge = tools_.knowledge;
    if (approval) read_approval(*approval);
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

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }
  void not_yet(const YAML::Node& node, std::string_view what) {
    fault(node, std::string(what) + " is not available yet in this version");
  }

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

  void read_model(const YAML::Node& node) {
    YamlMap map(node, "'model'", faults_);
    if (auto provider = map.take("provider")) read_provider(*provider);
    if (auto name = map.take_string("name")) agent_.model.name = std::move(*name);
    if (auto temperature = map.take("temperature")) read_temperature(*temperature);
    if (auto pace = map.take("pace")) agent_.model.pace = read_duration(*pace, "pace");
    if (auto fail = map.take("fail")) read_fail(*fail);
    if (auto count = map.take("max_tokens")) read_max_tokens(*count);
    if (auto url = map.take("base_url")) read_base_url(*url);
    if (auto variable = map.take("api_key_env")) read_api_key_env(*variable);
    if (auto value = map.take("fallback")) not_yet(*value, "'fallback'");
    map.finish();
  }

  void read_provider(const YAML::Node& node) {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    if (name == "anthropic") return not_yet(node, "provider '" + name + "'");
    if (name != "auto" && name != "offline" && name != "openai") {
      return fault(node, "'provider' must be auto, offline or openai");
    }
    agent_.model.provider = name;
  }

  // `auto` takes server and key from the environment, so that a key never goes to a server it is not for.
  bool is_for_openai(const YAML::Node& node, const std::string& key) {
    if (agent_.model.provider == "openai") return true;
    fault(node, "'" + key + "' needs 'provider: openai'");
    return false;
  }

  void read_base_url(const YAML::Node& node) {
    if (!node.IsScalar() || !is_base_url(node.Scalar())) {
      return fault(node, "'base_url' " + std::string(kBaseUrlRule));
    }
    if (is_for_openai(node, "base_url")) agent_.model.base_url = node.Scalar();
  }

  void read_api_key_env(const YAML::Node& node) {
    const std::string name = node.IsScalar() ? node.Scalar() : "";
    // The name alone is asked for, and a key that is written here by mistake is not repeated.
    if (!is_variable_name(name)) return fault(node, "'api_key_env' must be the name of an environment variable");
    if (is_for_openai(node, "api_key_env")) agent_.model.api_key_env = name;
  }

  void read_max_tokens(const YAML::Node& node) {
    const auto count = whole_number(node);
    if (!count || *count < 1) return fault(node, "'max_tokens' must be a number from 1");
    agent_.model.max_tokens = count;
  }

  void read_temperature(const YAML::Node& node) {
    double value = -1;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    if (!whole || !(value >= 0 && value <= kTemperatureMax)) {
      return fault(node, "'temperature' must be a number from 0 to 2");
    }
    agent_.model.temperature = value;
  }

  void read_fail(const YAML::Node& node) {
    const std::string kind = node.IsScalar() ? node.Scalar() : "";
    if (contains(vocabulary_.failure_kinds, kind)) {
      agent_.model.fail = kind;
      return;
    }
    std::string list;
    for (const auto& known : vocabulary_.failure_kinds) list += (list.empty() ? "" : ", ") + known;
    fault(node, "'fail' must be one of " + list);
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

  void read_approval(const YAML::Node& node) {
    YamlMap map(node, "'approval'", faults_);
    if (auto value = map.take("default")) {
      if (auto policy = read_policy(*value, "default")) agent_.approval.fallback = *policy;
    }
    if (auto value = map.take("tools")) read_tool_policies(*value);
    if (auto value = map.take("timeout")) read_timeout(*value);
    if (auto value = map.take("on_reject")) read_on_reject(*value);
    map.finish();
  }

  void read_tool_policies(const YAML::Node& node) {
    YamlMap map(node, "'approval.tools'", faults_);
    for (const auto& [key, value] : map.take_rest()) {
      const std::string& tool = key.Scalar();
      if (tools_.sound && !contains(agent_.tools, tool)) {
        fault(key, "approval for '" + tool + "', which is not among the agent's tools" + hint(tool, agent_.tools));
      }
      if (auto policy = read_policy(value, tool)) agent_.approval.tools[tool] = *policy;
    }
  }

  std::optional<api::Policy> read_policy(const YAML::Node& node, const std::string& what) {
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    if (word == "ask") return api::Policy::kAsk;
    if (word == "auto") return api::Policy::kAuto;
    if (word == "deny") return api::Policy::kDeny;
    fault(node, "'" + what + "' must be ask, auto or deny");
    return std::nullopt;
  }

  void read_timeout(const YAML::Node& node) {
    const auto timeout = read_duration(node, "timeout");
    if (!timeout) return;
    if (timeout->count() == 0) return fault(node, "'timeout' must not be 0");
    agent_.approval.timeout = timeout;
  }

  void read_on_reject(const YAML::Node& node) {
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    if (word != "continue" && word != "end") return fault(node, "'on_reject' must be continue or end");
    agent_.approval.on_reject = word == "end" ? api::OnReject::kEnd : api::OnReject::kContinue;
  }

  std::optional<std::chrono::milliseconds> read_duration(const YAML::Node& node, std::string_view what) {
    const auto duration = node.IsScalar() ? parse_duration(node.Scalar()) : std::nullopt;
    if (!duration) fault(node, "'" + std::string(what) + "' must be a duration such as 500ms, 90s, 30m or 1h");
    return duration;
  }

  Faults& faults_;
  const Vocabulary& vocabulary_;
  const std::optional<std::filesystem::path>& folder_;
  api::Agent agent_;
  std::string instructions_text_;  // of the instructions' own file
  ToolList tools_;
};

YAML::Mark start_of_file() {
  return YAML::Mark();
}

}  // namespace

Result<api::Agent> parse_agent(std::string_view yaml, std::string_view file_name, const Vocabulary& vocabulary,
                               const std::optional<std::filesystem::path>& folder) {
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
    if (!faults.empty()) return failed();
    agent.version = digest(std::string(yaml) + reader.other_texts());
    return agent;
  } catch (const YAML::Exception& error) {
    faults.add(error.mark, error.msg);
    return failed();
  }
}

}  // namespace braidlog::agent
