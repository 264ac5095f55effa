#include "tool/mcp/tool_result.h"

#include <utility>

#include "base/overloaded.h"
#include "base/utf8.h"
#include "wire/base64.h"

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kLabelBytesMax = 200;

std::string label(const json::object& object, std::string_view name) {
  return std::string(utf8_prefix(string_member(object, name), kLabelBytesMax));
}

// "[image, image/png, 1234 bytes]"
std::string described(std::string_view what, const json::object& block, std::string_view data) {
  std::string out = "[" + std::string(what);
  if (const auto type = label(block, "mimeType"); !type.empty()) out += ", " + type;
  if (const auto* bytes = block.if_contains(data); bytes != nullptr && bytes->is_string()) {
    out += ", " + std::to_string(base64_decoded_size(std::string_view(bytes->get_string()))) + " bytes";
  }
  return out + "]";
}

std::string text_of_resource(const json::object& block) {
  const auto* resource = object_member(block, "resource");
  if (resource == nullptr) return "[resource]";
  // A text is what was asked for, not something to describe.
  if (const auto* text = resource->if_contains("text"); text != nullptr && text->is_string()) {
    return "[resource " + label(*resource, "uri") + "]\n" + std::string(text->get_string());
  }
  return described("resource " + label(*resource, "uri"), *resource, "blob");
}

std::string text_of_block(const json::object& block) {
  const std::string type = string_member(block, "type");
  if (type == "text") return string_member(block, "text");
  if (type == "image" || type == "audio") return described(type, block, "data");
  if (type == "resource") return text_of_resource(block);
  if (type == "resource_link") return "[link " + label(block, "name") + ": " + label(block, "uri") + "]";
  return "[" + label(block, "type") + "]";
}

std::string text_of_content(const json::object& result) {
  const auto* content = array_member(result, "content");
  std::string out;
  if (content == nullptr) return out;
  for (const auto& block : *content) {
    const auto* object = block.if_object();
    if (object == nullptr) continue;
    if (!out.empty()) out += '\n';
    out += text_of_block(*object);
  }
  return out;
}

ToolOutcome error(std::string text) {
  return ToolOutcome::error(ToolStatus::kToolError, std::move(text));
}

// The names of what the server would like to know.
std::string wishes_of(const json::object& result) {
  const auto* requests = object_member(result, "inputRequests");
  std::string out;
  if (requests == nullptr) return out;
  for (const auto& entry : *requests) {
    const auto* request = entry.value().if_object();
    const auto method = request == nullptr ? std::string() : label(*request, "method");
    if (!method.empty() && out.size() < kLabelBytesMax) out += (out.empty() ? "" : ", ") + method;
  }
  return out;
}

}  // namespace

ToolOutcome outcome_of(const json::value& value, const ToolPlan& plan) {
  const auto* result = value.if_object();
  if (result == nullptr) return error("The tool's answer is no result.");
  const std::string type = string_member(*result, "resultType");
  if (type == "input_required") {
    const auto wishes = wishes_of(*result);
    return error("The tool asks for further input" + (wishes.empty() ? "" : " (" + wishes + ")") +
                 ", which cannot be given here. It did not finish.");
  }
  if (!type.empty() && type != "complete") return error("The tool's answer is of a kind that is not known here.");

  std::string text = text_of_content(*result);
  if (true_member(*result, "isError")) {
    return error(is_blank(text) ? "The tool reported an error and said nothing about it." : std::move(text));
  }
  const auto* structured = result->if_contains("structuredContent");
  if (structured == nullptr || structured->is_null()) return ToolOutcome::ok(json::value(text));
  if (plan.output) {
    if (const auto fits = plan.output->check(*structured); !fits) {
      return error("The tool's result does not fit its own output schema:\n" + fits.error().message);
    }
  }
  ToolOutcome outcome = ToolOutcome::ok(*structured);
  if (!is_blank(text)) outcome.text = std::move(text);
  return outcome;
}

ToolOutcome outcome_of(const RpcError& failure, const std::string& server) {
  std::string text = "MCP server " + server + " refused the call";
  if (!is_blank(failure.message)) text += ": " + failure.message;
  return error(text + " (" + std::to_string(failure.code) + ")");
}

ToolOutcome outcome_of(const Lost& lost, const ToolPlan& plan, const std::string& server) {
  const std::string who = "MCP server " + server;
  switch (lost.loss) {
    case Loss::kNotSent: return error(who + " cannot be reached; nothing was done.");
    case Loss::kSessionGone: return error(who + " has been started anew; nothing was done.");
    case Loss::kRefused: return error(who + " refused the call with HTTP status " + std::to_string(lost.status) + ".");
    case Loss::kTooLarge: return error("The tool ran, but its result is larger than this server reads.");
    case Loss::kUnreadable: return error("The tool ran, but its result cannot be read.");
    case Loss::kTimeout:
      if (plan.spec.writes) break;
      return ToolOutcome::error(ToolStatus::kTimeout, "The tool took too long and was cancelled.");
    case Loss::kUnknown:
      if (plan.spec.writes) break;
      return error(who + " ended before it answered.");
  }
  return ToolOutcome::error(ToolStatus::kOutcomeUnknown,
                            lost.loss == Loss::kTimeout
                                ? "The tool took too long and was cancelled; its outcome is unknown."
                                : who + " ended before it answered; the outcome of the call is unknown.");
}

ToolOutcome outcome_of(Answer answer, const ToolPlan& plan, const std::string& server) {
  return std::visit(Overloaded{[&](const json::value& result) { return outcome_of(result, plan); },
                               [&](const RpcError& failure) { return outcome_of(failure, server); },
                               [&](const Lost& lost) { return outcome_of(lost, plan, server); }},
                    answer);
}

ToolOutcome without(const Secrets& secrets, ToolOutcome outcome) {
  outcome.text = secrets.removed_from(std::move(outcome.text));
  if (outcome.value.is_null()) return outcome;
  const std::string before = to_json(outcome.value);
  const std::string after = secrets.removed_from(before);
  if (after == before) return outcome;
  auto value = parse_json(after);
  outcome.value = value ? std::move(*value) : json::value(outcome.text);
  return outcome;
}

ToolOutcome not_running(const std::string& server) {
  return error("MCP server " + server + " is not running and could not be started; nothing was done.");
}

}  // namespace braidlog::tool::mcp
