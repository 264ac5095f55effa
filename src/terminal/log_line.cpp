#include <algorithm>
#include <array>
#include <cstdio>

#include "terminal/columns.h"
#include "terminal/figures.h"
#include "terminal/run_commands.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

constexpr std::size_t kValueColumns = 100;
constexpr std::array<std::string_view, 4> kOwnColumns = {"sequence", "at", "elapsed_ms", "type"};

// The log has numbers where the engine has names (event/event_values.h); they are in databases and never change.
struct Names {
  std::string_view type, field;
  std::array<std::string_view, 10> names;
};
constexpr Names kNames[] = {
    {"run.queued", "way", {"converse", "steps", "execute"}},
    {"model.started", "purpose", {"answer", "plan", "reflection", "final"}},
    {"model.finished", "finish", {"stop", "length", "tool_calls", "content_filter", "refusal", "error", "aborted"}},
    {"input.requested", "kind", {"approval"}},
    {"input.given", "kind", {"approval"}},
    {"input.given", "verdict", {"approved", "rejected"}},
    {"tool.started", "permission", {"reads", "approval", "policy", "session"}},
    {"tool.finished", "status", {"ok", "tool_error", "invalid_arguments", "timeout", "outcome_unknown", "cancelled"}},
    {"run.failed",
     "code",
     {"provider", "provider_timeout", "rate_limited", "upstream_truncated", "max_steps", "limit_exceeded", "storage",
      "internal", "bad_file"}},
    {"task.finished", "status", {"pending", "in_progress", "done", "failed"}},
    {"data.modified", "operation", {"create", "update", "delete"}},
};

std::string_view name_of_number(std::string_view type, std::string_view field, std::int64_t number) {
  for (const auto& row : kNames) {
    if (row.type != type || row.field != field) continue;
    if (number >= 0 && static_cast<std::size_t>(number) < row.names.size()) {
      return row.names[static_cast<std::size_t>(number)];
    }
  }
  return {};
}

bool is_empty(const json::value& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty()) || (value.is_bool() && !value.get_bool());
}

// Texts in quotes with their line ends spelled, so that each event is one line.
std::string value_text(std::string_view type, std::string_view field, const json::value& value) {
  if (value.is_number()) {
    json::error_code error;
    const auto name = name_of_number(type, field, value.to_number<std::int64_t>(error));
    if (!error && !name.empty()) return std::string(name);
  }
  // JSON within JSON is easier to read as it is.
  if (value.is_string() && field.ends_with("_json")) return safe_json(value.get_string());
  return safe_json(to_json(value));
}

std::string elapsed_text(std::int64_t ms) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%8.3f", static_cast<double>(ms) / 1000.0);
  return buffer;
}

std::string coloured_type(std::string_view type, const std::string& padded, const Style& style) {
  if (type == "run.failed") return style.red(padded);
  if (type.starts_with("run.")) return style.bold(padded);
  if (type.starts_with("tool.")) return style.cyan(padded);
  if (type.starts_with("input.") || type == "warning") return style.yellow(padded);
  return padded;
}

// Ids come last: they are long, and what is beside them tells more.
std::string fields_of(const json::object& event, std::size_t columns) {
  const auto type = text_of(event, "type");
  std::string fields, ids;
  for (const auto& [key, value] : event) {
    const std::string_view name(key);
    if (std::ranges::find(kOwnColumns, name) != kOwnColumns.end() || is_empty(value)) continue;
    const std::string text = value_text(type, name, value);
    std::string& part = name.ends_with("_id") ? ids : fields;
    part += " " + safe_line(name) + "=" + (columns == 0 ? text : cut_to(text, kValueColumns));
  }
  fields += ids;
  return fields.empty() ? fields : fields.substr(1);
}

}  // namespace

std::string log_line(const json::object& event, const Style& style, std::size_t columns) {
  const auto type = text_of(event, "type");
  std::string number = std::to_string(number_of(event, "sequence").value_or(0));
  if (number.size() < 5) number.insert(0, 5 - number.size(), ' ');
  std::string padded = safe_line(type);
  if (padded.size() < 19) padded.append(19 - padded.size(), ' ');
  const std::string head = number + " " + elapsed_text(number_of(event, "elapsed_ms").value_or(0)) + "  ";
  std::string fields = fields_of(event, columns);
  const std::size_t used = width_of(head) + width_of(padded) + 2;
  if (columns > 0) fields = cut_to(fields, columns > used ? columns - used : 1);
  std::string line = style.dim(head) + coloured_type(type, padded, style);
  if (!fields.empty()) line += "  " + fields;
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace braidlog::terminal
