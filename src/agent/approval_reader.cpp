#include "agent/approval_reader.h"

#include "agent/value_reader.h"

namespace braidlog::agent {

namespace {

class ApprovalReader {
 public:
  ApprovalReader(const ToolList& tools, Faults& faults) : tools_(tools), faults_(faults) {}

  api::ApprovalRules read(const YAML::Node& node) {
    YamlMap map(node, "'approval'", faults_);
    if (auto value = map.take("default")) {
      if (auto policy = read_policy(*value, "default")) rules_.fallback = *policy;
    }
    if (auto value = map.take("tools")) read_tool_policies(*value);
    if (auto value = map.take("timeout")) rules_.timeout = read_timeout(*value, "timeout", faults_);
    if (auto value = map.take("on_reject")) read_on_reject(*value);
    map.finish();
    return rules_;
  }

 private:
  void fault(const YAML::Node& node, std::string_view what) { faults_.add(node.Mark(), what); }

  void read_tool_policies(const YAML::Node& node) {
    YamlMap map(node, "'approval.tools'", faults_);
    for (const auto& [key, value] : map.take_rest()) {
      const std::string& tool = key.Scalar();
      if (tools_.sound && !tools_.may_have(tool)) {
        fault(key,
              "approval for '" + tool + "', which is not among the agent's tools" + hint(tool, tools_.own_names()));
      }
      if (auto policy = read_policy(value, tool)) rules_.tools[tool] = *policy;
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

  void read_on_reject(const YAML::Node& node) {
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    if (word != "continue" && word != "end") return fault(node, "'on_reject' must be continue or end");
    rules_.on_reject = word == "end" ? api::OnReject::kEnd : api::OnReject::kContinue;
  }

  const ToolList& tools_;
  Faults& faults_;
  api::ApprovalRules rules_;
};

}  // namespace

api::ApprovalRules read_approval(const YAML::Node& node, const ToolList& tools, Faults& faults) {
  return ApprovalReader(tools, faults).read(node);
}

}  // namespace braidlog::agent
