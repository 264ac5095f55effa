#include "tool/mcp/tool_plan.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "tool/mcp/header_value.h"

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kNameDigestDigits = 8;
constexpr std::size_t kDescriptionBytesMax = 16 * 1024;
constexpr std::size_t kSchemaBytesMax = 128 * 1024;
// The engine's own patience ends after ours, which knows of progress and of servers that have to be started first.
constexpr std::chrono::milliseconds kSlack{5'000};
constexpr std::int64_t kSafeIntegerMax = 9007199254740991;

// Nobody can make another text with the same one, the server least of all: people approve a tool by it.
std::string digest_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts) text += std::to_string(part.size()) + ':' + std::string(part);
  std::array<unsigned char, 16> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                     nullptr, 0);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const auto byte : hash) (out += kDigits[byte >> 4]) += kDigits[byte & 15];
  return out;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void leave_out(const ServerPlan& server, const std::string& tool, std::string why) {
  log_warn("a tool of an MCP server is left out",
           {{"server", server.name}, {"tool", std::string(utf8_prefix(tool, 200))}, {"why", std::move(why)}});
}

// Collects the annotated arguments of `schema` and everything below that is reached by names alone. False: an
// annotation that the protocol does not allow.
bool find_headers(const json::object& schema, std::vector<std::string>& path, std::vector<ArgumentHeader>& out) {
  const auto* properties = object_member(schema, "properties");
  if (properties == nullptr) return true;
  for (const auto& property : *properties) {
    const auto* inner = property.value().if_object();
    if (inner == nullptr) continue;
    path.emplace_back(property.key());
    if (const auto* mark = inner->if_contains("x-mcp-header")) {
      const std::string type = string_member(*inner, "type");
      if (!mark->is_string() || !is_header_token(std::string_view(mark->get_string()))) return false;
      if (type != "string" && type != "integer" && type != "boolean") return false;
      out.push_back({"Mcp-Param-" + std::string(mark->get_string()), path});
    }
    if (!find_headers(*inner, path, out)) return false;
    path.pop_back();
  }
  return true;
}

std::size_t count_marks(const json::value& node) {
  std::size_t count = 0;
  if (const auto* array = node.if_array()) {
    for (const auto& item : *array) count += count_marks(item);
  } else if (const auto* object = node.if_object()) {
    for (const auto& member : *object) count += (member.key() == "x-mcp-header" ? 1 : 0) + count_marks(member.value());
  }
  return count;
}

// None: the annotations are not sound, and the tool is not to be used.
std::optional<std::vector<ArgumentHeader>> argument_headers(const json::object& schema) {
  std::vector<ArgumentHeader> out;
  std::vector<std::string> path;
  if (!find_headers(schema, path, out) || count_marks(schema) != out.size()) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (equals_ignoring_case(out[i].name, out[k].name)) return std::nullopt;
    }
  }
  return out;
}

std::optional<ForeignSchema> compile_or_log(const json::object& schema, const ServerPlan& server,
                                            const std::string& tool, const char* what) {
  auto compiled = compile_foreign(schema);
  if (compiled) return std::move(*compiled);
  log_info("a schema of an MCP server is not checked here", {{"server", server.name},
                                                             {"tool", std::string(utf8_prefix(tool, 200))},
                                                             {"schema", what},
                                                             {"why", compiled.error().message}});
  return std::nullopt;
}

std::shared_ptr<const ToolPlan> plan_tool(const json::object& listed, const ServerPlan& server, const Limits& limits,
                                          Era era) {
  auto plan = std::make_shared<ToolPlan>();
  plan->name = string_member(listed, "name");
  if (plan->name.empty()) return nullptr;
  const auto* given = object_member(listed, "inputSchema");
  json::object schema = given == nullptr ? json::object{} : *given;
  if (string_member(schema, "type") != "object") schema["type"] = "object";

  ToolSpec& spec = plan->spec;
  spec.name = tool_name(server.name, plan->name);
  spec.description = utf8_prefix(string_member(listed, "description"), kDescriptionBytesMax);
  if (spec.description.empty()) spec.description = utf8_prefix(string_member(listed, "title"), kDescriptionBytesMax);
  spec.parameters_json = to_json(schema);
  if (spec.parameters_json.size() > kSchemaBytesMax) {
    leave_out(server, plan->name, "its schema is too large");
    return nullptr;
  }
  spec.writes = !server.reads.contains(plan->name);
  spec.timeout = limits.mcp_call_time_max + limits.mcp_start_timeout + kSlack;
  spec.version = digest_of({plan->name, spec.description, spec.parameters_json});
  if (std::holds_alternative<HttpPlan>(server.way) && era == Era::kModern) {
    auto headers = argument_headers(schema);
    if (!headers) {
      leave_out(server, plan->name, "its x-mcp-header annotations are not sound");
      return nullptr;
    }
    plan->headers = std::move(*headers);
  }
  plan->arguments = compile_or_log(schema, server, plan->name, "arguments");
  if (const auto* output = object_member(listed, "outputSchema")) {
    plan->output_json = to_json(*output);
    plan->output = compile_or_log(*output, server, plan->name, "output");
  }
  return plan;
}

std::optional<std::string> header_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  const auto number = integer_of(value);
  if (!number || *number > kSafeIntegerMax || *number < -kSafeIntegerMax) return std::nullopt;
  return std::to_string(*number);
}

}  // namespace

ToolPlans plan_tools(const std::vector<json::object>& listed, const ServerPlan& server, const Limits& limits, Era era) {
  std::map<std::string, std::shared_ptr<const ToolPlan>> plans;
  std::set<std::string> missing = server.tools;
  missing.insert(server.reads.begin(), server.reads.end());
  for (const auto& tool : listed) {
    const std::string name = string_member(tool, "name");
    missing.erase(name);
    if (!server.tools.empty() && !server.tools.contains(name)) continue;
    if (plans.size() >= limits.mcp_tools_max) {
      leave_out(server, name, "the server has more tools than `mcp_tools_max`");
      break;
    }
    auto plan = plan_tool(tool, server, limits, era);
    if (plan && !plans.emplace(plan->spec.name, plan).second) leave_out(server, name, "its name came before");
  }
  for (const auto& name : missing) {
    log_warn("an MCP server has no tool of that name", {{"server", server.name}, {"tool", name}});
  }
  ToolPlans out;
  for (auto& [name, plan] : plans) out.push_back(std::move(plan));
  return out;
}

std::string tool_name(const std::string& server, const std::string& tool) {
  std::string name = server + "__" + tool;
  const bool fits = name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), is_name_character);
  if (fits) return name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
  name.resize(std::min(name.size(), kNameBytesMax - kNameDigestDigits - 1));
  return name + "_" + digest_of({server, tool}).substr(0, kNameDigestDigits);
}

std::vector<HttpHeader> headers_of(const ToolPlan& plan, const json::object& arguments) {
  std::vector<HttpHeader> out;
  for (const auto& header : plan.headers) {
    const json::object* at = &arguments;
    const json::value* value = nullptr;
    for (const auto& step : header.path) {
      value = at == nullptr ? nullptr : at->if_contains(step);
      at = value == nullptr ? nullptr : value->if_object();
    }
    if (value == nullptr) continue;
    if (auto text = header_text(*value)) out.push_back({header.name, header_value(*text)});
  }
  return out;
}

}  // namespace braidlog::tool::mcp
