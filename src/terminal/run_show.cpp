#include <optional>

#include "base/ids.h"
#include "terminal/event_stream.h"
#include "terminal/figures.h"
#include "terminal/run_commands.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

// The first frame of a stream, and no more of it.
class OneFrame final : public StreamListener {
 public:
  bool on_frame(const Frame& frame) override {
    id = frame.id;
    auto parsed = parse_json(frame.data);
    if (parsed && parsed->is_object()) event = parsed->get_object();
    return false;
  }
  void on_lost() override {}
  void on_end(const StreamEnd&) override { is_over = true; }

  std::string id;
  json::object event;
  bool is_over = false;
};

OneFrame read_one(Client& client, const std::string& run_id, std::string after) {
  OneFrame frame;
  StreamOptions options;
  options.last_id = std::move(after);
  options.give_up_after = std::chrono::seconds(5);
  EventStream stream(client.pump().loop(), client.pump().http(),
                     client.request(Method::kGet, "/runs/" + percent_encode(run_id) + "/log"), options, frame);
  stream.open();
  client.pump().until([&] { return frame.is_over; });
  return frame;
}

// The id of another event of the same run: its number has a fixed width.
std::string id_of_event(const std::string& id, std::int64_t sequence) {
  const auto bar = id.rfind('_');
  std::string number = std::to_string(sequence);
  const std::size_t width = bar == std::string::npos ? 0 : id.size() - bar - 1;
  if (number.size() > width) return {};
  return id.substr(0, bar + 1) + std::string(width - number.size(), '0') + number;
}

struct Details {
  std::string question, answer;
};

// The question stands in the first event and the answer in the last; what is between them is not read.
Details read_details(Client& client, const json::object& run) {
  Details details{.question = std::string(text_of(run, "text")), .answer = {}};
  const std::string id(text_of(run, "run_id"));
  const auto first = read_one(client, id, {});
  if (const auto text = text_of(first.event, "text"); !text.empty()) details.question = text;
  const auto events = number_of(run, "events").value_or(0);
  if (text_of(run, "status") != "completed" || events < 2) return details;
  if (const auto before_last = id_of_event(first.id, events - 1); !before_last.empty()) {
    details.answer = text_of(read_one(client, id, before_last).event, "final_text");
  }
  return details;
}

void append_row(std::string& out, const Style& style, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string padded(name);
  padded.append(10 - std::min<std::size_t>(10, padded.size()), ' ');
  out += style.dim(padded) + value + "\n";
}

void append_text(std::string& out, const Style& style, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  out += "\n" + style.bold(name) + "\n" + safe_text(text) + (text.ends_with('\n') ? "" : "\n");
}

std::string usage_text(const json::object* usage) {
  const auto tokens = tokens_of(usage);
  if (!tokens) return {};
  return std::to_string(*tokens) + " tokens (" + std::to_string(number_of(*usage, "input_tokens").value_or(0)) +
         " in, " + std::to_string(number_of(*usage, "output_tokens").value_or(0)) + " out)";
}

std::string error_text(const json::object& run) {
  const auto* error = object_of(run, "error");
  if (error == nullptr) return safe_line(text_of(run, "error"));
  const std::string code = safe_line(text_of(*error, text_of(*error, "code").empty() ? "error_code" : "code"));
  const std::string message = safe_line(text_of(*error, "message"));
  return code.empty() ? message : code + ": " + message;
}

std::string rows_of(const json::object& run, const Style& style) {
  const auto title = text_of(run, "session_title");
  std::string out;
  append_row(out, style, "run", safe_line(text_of(run, "run_id")));
  append_row(out, style, "status", status_text(text_of(run, "status"), style));
  append_row(out, style, "error", style.red(error_text(run)));
  append_row(out, style, "agent", safe_line(text_of(run, "agent")));
  append_row(out, style, "contract", safe_line(text_of(run, "contract")));
  append_row(out, style, "session", safe_line(text_of(run, "session_id")));
  append_row(out, style, "title", safe_line(title == kUntitled ? "" : title));
  append_row(out, style, "user", safe_line(text_of(run, "user_id")));
  append_row(out, style, "asked", safe_line(text_of(run, "created_at")));
  append_row(out, style, "started", safe_line(text_of(run, "started_at")));
  append_row(out, style, "ended", safe_line(text_of(run, "ended_at")));
  if (const auto took = number_of(run, "duration_ms")) append_row(out, style, "took", duration_text(*took));
  append_row(out, style, "usage", usage_text(object_of(run, "usage")));
  if (const auto events = number_of(run, "events")) append_row(out, style, "events", std::to_string(*events));
  return out;
}

}  // namespace

// The list knows more of a run than the run's own page, and finds it by its id; where it does not, the page will do.
Result<json::object> find_run(Client& client, const std::string& id) {
  const auto reply = client.get("/runs/" + percent_encode(id));
  if (!reply.is(200)) return fail(ErrorCode::kRunNotFound, client.words_of(reply));
  auto run = reply.object();
  const std::string name(text_of(run, "run_id"));
  for (const auto* scope : {"", "&scope=all"}) {
    const auto list = client.get("/console/runs?limit=1&q=" + percent_encode(name) + scope);
    const auto body = list.object();
    const auto* items = array_of(body, "items");
    if (!list.is(200) || items == nullptr || items->empty() || !items->front().is_object()) continue;
    if (text_of(items->front().get_object(), "run_id") == name) return items->front().get_object();
  }
  return run;
}

int show_run(Client& client, const RunsOptions& options, Printer& out) {
  auto run = find_run(client, options.id);
  if (!run) return complain(run.error().message);
  const auto details = read_details(client, *run);
  if (options.json) {
    (*run)["text"] = details.question;
    (*run)["final_text"] = details.answer.empty() ? json::value() : json::value(details.answer);
    out.print_json(to_json(*run));
    return 0;
  }
  std::string text = rows_of(*run, out.style);
  append_text(text, out.style, "Question", details.question);
  append_text(text, out.style, "Answer", details.answer);
  const auto* replayable = run->if_contains("replayable");
  if (replayable != nullptr && replayable->is_bool() && !replayable->get_bool()) {
    text += "\n" + out.style.dim("The events of this run are no longer kept.") + "\n";
  }
  out.print(text);
  return 0;
}

}  // namespace braidlog::terminal
