#include <algorithm>

#include "base/clock.h"
#include "terminal/columns.h"
#include "terminal/figures.h"
#include "terminal/run_commands.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

constexpr std::size_t kPageMax = 100;
constexpr std::size_t kTitleColumns = 60;

struct Page {
  json::array items;
  std::string next;  // empty: there are no more
};

Result<Page> ask_page(Client& client, const RunsOptions& options, std::size_t limit, const std::string& before) {
  std::string path = "/console/runs?limit=" + std::to_string(limit);
  if (!options.status.empty()) path += "&status=" + percent_encode(options.status);
  if (!before.empty()) path += "&before=" + percent_encode(before);
  if (options.all) path += "&scope=all";
  const auto reply = client.get(path);
  if (!reply.is(200)) return fail(ErrorCode::kUnavailable, client.words_of(reply));
  const auto body = reply.object();
  Page page;
  if (const auto* items = array_of(body, "items")) page.items = *items;
  page.next = text_of(body, "next");
  return page;
}

// The last column takes what the others leave.
std::string fitted(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  auto cut = rows;
  std::size_t others = 0;
  for (std::size_t i = 0; i + 1 < rows.front().size(); ++i) {
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, width_of(row[i]));
    others += width + 2;
  }
  const std::size_t left =
      columns == 0 ? kTitleColumns : std::max<std::size_t>(10, columns - std::min(columns, others));
  for (std::size_t i = 1; i < cut.size(); ++i) cut[i].back() = cut_to(cut[i].back(), left);
  return text_table(cut);
}

}  // namespace

std::vector<std::string> run_row(const json::object& run, WallTime now, const Style& style) {
  const auto created = parse_time(text_of(run, "created_at"));
  const auto duration = number_of(run, "duration_ms");
  const auto tokens = tokens_of(object_of(run, "usage"));
  const auto title = text_of(run, "session_title");
  return {safe_line(text_of(run, "run_id")),
          status_text(text_of(run, "status"), style),
          safe_line(text_of(run, "agent")),
          created ? age_text(now.ms - created->ms) : "",
          duration ? duration_text(*duration) : "",
          tokens ? count_text(*tokens) : "",
          safe_line(title.empty() || title == kUntitled ? text_of(run, "text") : title)};
}

int list_runs(Client& client, const RunsOptions& options, Printer& out) {
  std::vector<std::vector<std::string>> rows = {{"RUN", "STATUS", "AGENT", "AGE", "TOOK", "TOKENS", "TITLE"}};
  const WallTime now = SystemClock().wall();
  std::string before;
  for (std::size_t left = options.limit; left > 0;) {
    const auto page = ask_page(client, options, std::min(left, kPageMax), before);
    if (!page) return complain(page.error().message);
    for (const auto& item : page->items) {
      if (!item.is_object()) continue;
      if (options.json) {
        out.print_json(to_json(item));
      } else {
        rows.push_back(run_row(item.get_object(), now, out.style));
      }
    }
    left -= std::min(left, page->items.size());
    if (page->next.empty() || out.is_closed) break;
    before = page->next;
  }
  if (options.json) return 0;
  if (rows.size() == 1) {
    out.print(options.status.empty() ? "There are no runs yet.\n" : "There are no such runs.\n");
  } else {
    out.print(fitted(rows, out.columns));
  }
  return 0;
}

}  // namespace braidlog::terminal
