#include "terminal/runs.h"

#include <signal.h>
#include <unistd.h>

#include "terminal/columns.h"
#include "terminal/run_commands.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

void Printer::print(std::string_view text) {
  is_closed |= !write_all(STDOUT_FILENO, text);
}

void Printer::print_json(std::string_view json) {
  print((is_terminal ? safe_json(json) : std::string(json)) + "\n");
}

int complain(std::string_view words) {
  write_all(STDERR_FILENO, "braidlog: " + std::string(words) + "\n");
  return 1;
}

std::string status_text(std::string_view status, const Style& style) {
  const std::string safe = safe_line(status);
  if (status == "completed") return style.green(safe);
  if (status == "failed") return style.red(safe);
  if (status == "waiting_approval" || status == "interrupted") return style.yellow(safe);
  return style.cyan(safe);
}

int runs(const RunsOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went (| head) is seen where it is written to
  use_utf8_locale();
  auto pump = Pump::make();
  if (!pump) return complain(pump.error().message);
  Client client(**pump, options.endpoint);
  Printer out;
  out.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  out.style = {shows_colours(STDOUT_FILENO)};
  out.columns = out.is_terminal ? columns_of(STDOUT_FILENO) : 0;
  switch (options.verb) {
    case RunsOptions::Verb::kList: return list_runs(client, options, out);
    case RunsOptions::Verb::kShow: return show_run(client, options, out);
    case RunsOptions::Verb::kTail: return tail_run(client, options, out);
  }
  return 0;
}

}  // namespace braidlog::terminal
