// A run's log as somebody in a chat wants to read it: the text as it comes, one line for each tool call with what came
// of it, plans, what code printed, and how it ended. Questions are not its matter.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/json.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

class RunPrinter {
 public:
  explicit RunPrinter(Screen& screen) : screen_(screen) {}

  // An event as GET /runs/{id}/log has it. Kinds that it does not know are not shown.
  void show(const json::object& event);
  // The person here answered this question, so the answer needs no line of its own.
  void set_answered_here(std::string_view input_id) { answered_here_.emplace(input_id); }

 private:
  struct Call {
    std::string name, arguments;
  };
  void show_text(std::string_view text);
  void show_plan(const json::object& event);
  void remember_call(const json::object& event);
  void show_call(const json::object& event, std::string_view result, bool is_good);
  void show_refusal(const json::object& event);
  void show_finished_tool(const json::object& event);
  void show_step(const json::object& event);
  void show_end(const json::object& event);

  Screen& screen_;
  std::map<std::string, Call, std::less<>> calls_;  // those under way, by id
  std::set<std::string, std::less<>> answered_here_;
  std::string turn_text_;  // of the last model turn: whether the final text was in it
};

}  // namespace braidlog::terminal
