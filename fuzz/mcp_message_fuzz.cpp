// Any bytes as what an MCP server writes: lines do not depend on where the bytes are cut, each is a message or
// nonsense, and what is made of tools and results is text that may be stored.
//
//   input := seed-byte bytes              the seed decides where the bytes are cut
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tool/mcp/json_rpc.h"
#include "tool/mcp/line_reader.h"
#include "tool/mcp/tool_plan.h"
#include "tool/mcp/tool_result.h"

namespace braidlog::tool::mcp {
namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  LineReader reader(2'048);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(
        bytes.substr(at, piece), [&](std::string_view line) { out.emplace_back(line); },
        [&](std::string_view head, std::string_view tail) {
          (void)guess_answered(head, tail);
          out.push_back("over: " + std::string(head) + std::string(tail));
        });
  }
  return out;
}

void look_at(const RpcMessage& message) {
  BRAIDLOG_CHECK(is_valid_utf8(message.method) && is_valid_utf8(message.error.message));
  const ToolPlan plan;
  const auto outcome = outcome_of(message.result, plan);
  BRAIDLOG_CHECK(is_valid_utf8(outcome.text) && is_valid_utf8(to_json(outcome.value)));
  ServerPlan server;
  server.name = "fuzz";
  server.way = HttpPlan{};
  for (const auto* object : {&message.params, message.result.if_object()}) {
    if (object == nullptr) continue;
    for (const auto& tool : plan_tools({*object}, server, Limits{}, Era::kModern)) {
      BRAIDLOG_CHECK(tool->spec.name.size() <= 64 && is_valid_utf8(tool->spec.description));
      if (tool->arguments) (void)tool->arguments->check(json::value(*object));
      for (const auto& header : headers_of(*tool, *object)) {
        BRAIDLOG_CHECK(header.value.find_first_of("\r\n") == std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace braidlog::tool::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog::tool::mcp;
  if (size < 2) return 0;
  braidlog::set_log_level(braidlog::LogLevel::kError);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto lines = lines_of(bytes, bytes.size());
  BRAIDLOG_CHECK(lines == lines_of(bytes, 1 + data[0] % 64U));
  for (const auto& line : lines) {
    const auto messages = read_messages(line);
    if (!messages) continue;
    for (const auto& message : *messages) look_at(message);
  }
  return 0;
}
