// What the three commands over runs share, and each of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "terminal/client.h"
#include "terminal/options.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

// Standard output: how it may look, and whether somebody still reads.
struct Printer {
  bool is_terminal = false;
  Style style;
  std::size_t columns = 80;  // 0: no limit
  bool is_closed = false;

  // As it is, for it is safe already.
  void print(std::string_view text);
  // JSON from the server and a line end: byte by byte, and on a terminal with what is not plain spelled out.
  void print_json(std::string_view json);
};

// The title of a session that nobody gave one.
inline constexpr std::string_view kUntitled = "New Session";

// The exit code 1, with a line on standard error.
int complain(std::string_view words);

std::string status_text(std::string_view status, const Style& style);

// The run as GET /console/runs has it; an error line for people where there is none.
Result<json::object> find_run(Client& client, const std::string& id);

int list_runs(Client& client, const RunsOptions& options, Printer& out);
int show_run(Client& client, const RunsOptions& options, Printer& out);
int tail_run(Client& client, const RunsOptions& options, Printer& out);

// One event of the log on one line: sequence, time since the run was queued, type and its other fields. Cut to
// `columns`; 0: not.
std::string log_line(const json::object& event, const Style& style, std::size_t columns);

// The rows of `runs list`, for a table.
std::vector<std::string> run_row(const json::object& run, WallTime now, const Style& style);

}  // namespace braidlog::terminal
