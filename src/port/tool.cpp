#include "port/tool.h"

namespace braidlog {

ToolOutcome ToolOutcome::ok(json::value value) {
  std::string text = value.is_string() ? std::string(value.get_string()) : to_json(value);
  return {ToolStatus::kOk, std::move(value), std::move(text)};
}

ToolOutcome ToolOutcome::error(ToolStatus status, std::string text) {
  return {status, nullptr, std::move(text)};
}

}  // namespace braidlog
