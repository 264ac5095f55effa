#include <unistd.h>

#include <optional>

#include "base/utf8.h"
#include "terminal/event_stream.h"
#include "terminal/figures.h"
#include "terminal/run_commands.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

bool ends_log(const Frame& frame) {
  if (frame.data.find(R"("type":"run.)") == std::string_view::npos) return false;
  const auto event = parse_json(frame.data);
  if (!event || !event->is_object()) return false;
  const auto type = text_of(event->get_object(), "type");
  return type == "run.completed" || type == "run.failed" || type == "run.interrupted";
}

class Tail final : public StreamListener {
 public:
  Tail(const RunsOptions& options, Printer& out) : options_(options), out_(out) {}

  bool on_frame(const Frame& frame) override {
    if (options_.json) {
      out_.print_json(frame.data);
    } else if (!options_.contract.empty()) {
      out_.print(out_.is_terminal ? safe_json(frame.bytes) : std::string(frame.bytes));
    } else if (const auto event = parse_json(frame.data); event && event->is_object()) {
      out_.print(log_line(event->get_object(), out_.style, out_.columns) + "\n");
    }
    return !out_.is_closed;
  }
  void on_lost() override {
    const Style style{shows_colours(STDERR_FILENO)};
    write_all(STDERR_FILENO, style.dim("connection lost, going on \xE2\x80\xA6") + "\n");
  }
  void on_end(const StreamEnd& how) override { end = how; }

  std::optional<StreamEnd> end;

 private:
  const RunsOptions& options_;
  Printer& out_;
};

}  // namespace

int tail_run(Client& client, const RunsOptions& options, Printer& out) {
  const std::string run = "/runs/" + percent_encode(options.id);
  // Asked first: from here on a server that is away is one that comes back.
  const auto there = client.get(run);
  if (!there.is(200)) return complain(client.words_of(there));
  const std::string path =
      options.contract.empty() ? run + "/log" : run + "/stream?contract=" + percent_encode(options.contract);
  StreamOptions stream_options;
  stream_options.last_id = options.from;
  if (options.contract.empty()) stream_options.is_last = ends_log;
  Tail tail(options, out);
  EventStream stream(client.pump().loop(), client.pump().http(), client.request(Method::kGet, path), stream_options,
                     tail);
  stream.open();
  client.pump().until([&] { return tail.end.has_value(); });
  switch (tail.end->kind) {
    case StreamEnd::Kind::kOver: return 0;
    case StreamEnd::Kind::kGaveUp: return complain("The server did not come back");
    case StreamEnd::Kind::kRefused: break;
  }
  return complain(error_words(tail.end->status, tail.end->body));
}

}  // namespace braidlog::terminal
