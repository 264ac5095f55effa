#include "terminal/run_printer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "terminal/columns.h"
#include "terminal/figures.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

// The engine's own: no contract shows them as tool calls.
constexpr std::array<std::string_view, 3> kEngineTools = {"set_tasks", "fail_task", "final_answer"};
// As event/event_values.h numbers them.
constexpr std::int64_t kVerdictRejected = 1, kToolOk = 0;
constexpr std::size_t kOutputLinesMax = 12;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

void RunPrinter::show(const json::object& event) {
  const auto type = text_of(event, "type");
  if (type == "text.delta") return show_text(text_of(event, "text"));
  if (type == "model.started") {
    if (!flag_of(event, "continues")) turn_text_.clear();
    return screen_.status("\xE2\x80\xA6");
  }
  if (type == "plan.made") return show_plan(event);
  if (type == "tool.call.ready") return remember_call(event);
  if (type == "input.given") return show_refusal(event);
  if (type == "tool.started") {
    const auto call = calls_.find(text_of(event, "call_id"));
    if (call != calls_.end()) screen_.status("  " + call->second.name + " " + call->second.arguments);
    return;
  }
  if (type == "tool.finished") return show_finished_tool(event);
  if (type == "step.finished") return show_step(event);
  if (type == "warning") {
    return screen_.note(screen_.style().yellow("warning: " + safe_line(text_of(event, "message"))));
  }
  if (type == "artifact.created") {
    return screen_.note(screen_.style().dim("  artifact: " + safe_line(text_of(event, "name"))));
  }
  if (type.starts_with("run.")) show_end(event);
}

void RunPrinter::show_text(std::string_view text) {
  turn_text_ += text;
  screen_.text(safe_text(text));
}

void RunPrinter::show_plan(const json::object& event) {
  std::string lines = safe_text(trimmed(text_of(event, "text")));
  for (auto at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) lines.replace(at, 1, "\n  ");
  if (!lines.empty()) screen_.note(screen_.style().dim("  " + lines));
}

void RunPrinter::remember_call(const json::object& event) {
  const auto name = text_of(event, "name");
  if (std::ranges::find(kEngineTools, name) != kEngineTools.end()) return;
  calls_[std::string(text_of(event, "call_id"))] = {safe_line(name), safe_json_line(text_of(event, "args_json"))};
}

// One line, whatever the result: who wants all of it asks for the run.
void RunPrinter::show_call(const json::object& event, std::string_view result, bool is_good) {
  const auto call = calls_.find(text_of(event, "call_id"));
  if (call == calls_.end()) return;
  const std::size_t columns = std::max<std::size_t>(screen_.columns(), 40);
  std::string line = "  " + call->second.name;
  if (call->second.arguments != "{}") line += " " + cut_to(call->second.arguments, columns / 2);
  line += is_good ? " \xE2\x86\x92 " : " \xE2\x9C\x97 ";
  line += safe_line(result.substr(0, 4096));
  screen_.note(screen_.style().dim(cut_to(line, columns - 1)));
  calls_.erase(call);
}

void RunPrinter::show_refusal(const json::object& event) {
  if (number_of(event, "verdict") != kVerdictRejected || answered_here_.contains(text_of(event, "input_id"))) return;
  show_call(event, "not allowed: " + std::string(text_of(event, "reason")), false);
}

void RunPrinter::show_finished_tool(const json::object& event) {
  show_call(event, text_of(event, "text"), number_of(event, "status") == kToolOk);
}

// What code printed. Steps of tool calls have shown their results already.
void RunPrinter::show_step(const json::object& event) {
  if (text_of(event, "code_action").empty()) return;
  const std::string shown = safe_text(trimmed(text_of(event, "observations")));
  const std::string error = safe_line(text_of(event, "error"));
  std::size_t lines = 0;
  for (std::string_view rest = shown; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (++lines > kOutputLinesMax) {
      screen_.note(screen_.style().dim("  \xE2\x94\x82 \xE2\x80\xA6"));
      break;
    }
    screen_.note(screen_.style().dim("  \xE2\x94\x82 " + std::string(line)));
  }
  if (!error.empty()) screen_.note(screen_.style().dim("  \xE2\x9C\x97 " + error));
}

void RunPrinter::show_end(const json::object& event) {
  const auto type = text_of(event, "type");
  if (type == "run.completed") {
    const auto final_text = trimmed(text_of(event, "final_text"));
    if (!final_text.empty() && turn_text_.find(final_text) == std::string::npos) {
      screen_.end_text();
      screen_.text(safe_text(final_text));
    }
    screen_.end_text();
    if (!screen_.is_live()) return;
    std::string line = "  " + duration_text(number_of(event, "elapsed_ms").value_or(0));
    if (const auto tokens = tokens_of(object_of(event, "usage"))) line += ", " + count_text(*tokens) + " tokens";
    screen_.note(screen_.style().dim(line));
  } else if (type == "run.failed") {
    screen_.end_text();
    screen_.note(screen_.style().red("failed: " + safe_line(text_of(event, "message"))));
  } else if (type == "run.interrupted") {
    screen_.end_text();
    const auto reason = safe_line(text_of(event, "reason"));
    screen_.note(screen_.style().yellow(reason.empty() ? "interrupted" : "interrupted (" + reason + ")"));
  }
}

}  // namespace braidlog::terminal
