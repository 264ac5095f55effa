#include "terminal/chat.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "base/utf8.h"
#include "terminal/chat_session.h"
#include "terminal/client.h"
#include "terminal/columns.h"
#include "terminal/input.h"
#include "terminal/line_editor.h"
#include "terminal/run_watch.h"
#include "terminal/safe_text.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

namespace {

constexpr std::size_t kFileColumns = 200;
constexpr int kFailed = 1, kLeftByKey = 130;

constexpr std::string_view kHelp =
    "  /agents        the agents of this server\n"
    "  /new [AGENT]   another conversation, with another agent\n"
    "  /quit          leave (or Ctrl-D)\n"
    "  Ctrl-C interrupts a run. A line that ends with \\ goes on in the next one.";

bool is_same_place(int a, int b) {
  struct stat one {};
  struct stat other {};
  return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// To a terminal the whole chat; else the answers alone to standard output and the rest to standard error.
Screen::Parts screen_parts(bool is_person) {
  const bool to_terminal = ::isatty(STDOUT_FILENO) == 1;
  const int notes = is_person && to_terminal ? STDOUT_FILENO : STDERR_FILENO;
  Screen::Parts parts;
  parts.text = [](std::string_view text) { return write_all(STDOUT_FILENO, text); };
  parts.notes = [notes](std::string_view text) { return write_all(notes, text); };
  parts.style = {shows_colours(notes)};
  parts.is_shared = is_same_place(STDOUT_FILENO, notes);
  parts.is_live = is_person && to_terminal && shows_colours(notes);
  parts.columns = [notes] { return ::isatty(notes) == 1 ? columns_of(notes) : kFileColumns; };
  return parts;
}

class Chat {
 public:
  Chat(Pump& pump, const ChatOptions& options)
      : options_(options),
        pump_(pump),
        is_person_(::isatty(STDIN_FILENO) == 1),
        screen_(screen_parts(is_person_)),
        client_(pump, options.endpoint),
        input_(pump),
        session_(client_, screen_, options.agent) {
    if (!is_person_) return;
    editor_.emplace(input_, pump, ::isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : STDERR_FILENO);
  }

  int run();

 private:
  std::optional<int> begin();
  bool read(std::string& message);
  bool read_edited(std::string& message);
  std::optional<int> obey(const std::string& line);
  std::optional<int> say(const std::string& message);
  std::optional<int> watch(const std::string& run_id);
  void list_agents();
  void complain(const std::string& words) { screen_.note(screen_.style().red(words)); }

  const ChatOptions& options_;
  Pump& pump_;
  const bool is_person_;
  Screen screen_;
  Client client_;
  Input input_;
  std::optional<LineEditor> editor_;
  ChatSession session_;
  bool was_interrupted_ = false;  // by Ctrl-C at an empty prompt, just now
  int exit_code_ = 0;             // of who leaves at the prompt
};

int Chat::run() {
  std::optional<int> code = begin();
  std::string message;
  while (!code && !screen_.is_closed() && read(message)) {
    if (is_blank(message)) continue;
    code = message.starts_with('/') ? obey(message) : say(message);
  }
  if (is_person_ && !session_.id().empty()) {
    screen_.note(screen_.style().dim("go on later with: braidlog chat --session " + session_.id()));
  }
  return code.value_or(exit_code_);
}

std::optional<int> Chat::begin() {
  if (auto there = session_.greet(); !there) return complain(there.error().message), kFailed;
  std::optional<std::string> run;
  if (!options_.session.empty()) {
    auto resumed = session_.resume(options_.session);
    if (!resumed) return complain(resumed.error().message), kFailed;
    run = std::move(*resumed);
  }
  if (is_person_) {
    const std::string who = session_.agent().empty() ? "" : session_.agent() + " at ";
    screen_.note(screen_.style().dim(who + options_.endpoint.url + ". /help says what else there is."));
  }
  return run ? watch(*run) : std::nullopt;
}

// The next message; false when there is none.
bool Chat::read(std::string& message) {
  if (editor_) return read_edited(message);
  for (;;) {
    const auto got = input_.read_line(message, [this] { return pump_.has_signal(); });
    if (got != Input::Got::kStopped) return got == Input::Got::kLine;
    const int signal = pump_.next_signal();
    if (signal == SIGWINCH || signal == SIGCONT) continue;
    exit_code_ = signal == SIGINT ? kLeftByKey : 128 + signal;
    return false;
  }
}

bool Chat::read_edited(std::string& message) {
  message.clear();
  std::string line;
  for (;;) {
    const auto got = editor_->read(message.empty() ? "> " : ". ", line);
    if (got == LineEditor::Got::kEnd || got == LineEditor::Got::kLeave) return false;
    if (got == LineEditor::Got::kInterrupted) {
      const bool is_empty = line.empty() && message.empty();
      if (is_empty && was_interrupted_) return false;
      was_interrupted_ = is_empty;
      if (is_empty) screen_.note(screen_.style().dim("Ctrl-C again leaves, Ctrl-D too."));
      message.clear();
      continue;
    }
    was_interrupted_ = false;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    message += line;
    if (goes_on) {
      message += '\n';
      continue;
    }
    if (!is_blank(message)) editor_->remember(message);
    return true;
  }
}

std::optional<int> Chat::obey(const std::string& line) {
  const auto space = line.find(' ');
  const std::string word = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : safe_line(line.substr(space));
  if (word == "/quit" || word == "/exit") return 0;
  if (word == "/help") {
    screen_.note(kHelp);
  } else if (word == "/agents") {
    if (auto there = session_.greet(); !there) return complain(there.error().message), std::nullopt;
    list_agents();
  } else if (word == "/new") {
    if (auto renewed = session_.renew(rest); !renewed) return complain(renewed.error().message), std::nullopt;
    const std::string who = session_.agent().empty() ? "" : " with " + session_.agent();
    screen_.note(screen_.style().dim("a new conversation" + who));
  } else {
    complain("There is no " + safe_line(word) + "; /help says what there is");
  }
  return std::nullopt;
}

void Chat::list_agents() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& agent : session_.agents()) rows.push_back({"  " + agent.name, agent.description});
  std::string table = text_table(rows);
  if (table.ends_with('\n')) table.pop_back();
  screen_.note(table);
}

// None: the chat goes on.
std::optional<int> Chat::say(const std::string& message) {
  const auto run = session_.send(message);
  if (run) return watch(*run);
  if (run.error().code == ErrorCode::kCancelled) {
    const int signal = pump_.next_signal();
    if (!is_person_ || signal == SIGTERM || signal == SIGHUP) return kLeftByKey;
    complain("not sent, as far as is known");
    return std::nullopt;
  }
  complain(run.error().message);
  return is_person_ ? std::nullopt : std::optional(kFailed);
}

std::optional<int> Chat::watch(const std::string& run_id) {
  const Person person{.input = is_person_ ? &input_ : nullptr, .says_yes = options_.yes};
  RunWatch watch(client_, screen_, person, session_.id(), run_id);
  switch (watch.watch()) {
    case RunWatch::End::kCompleted: return std::nullopt;
    case RunWatch::End::kFailed: return is_person_ ? std::nullopt : std::optional(kFailed);
    case RunWatch::End::kInterrupted: return is_person_ ? std::nullopt : std::optional(kLeftByKey);
    case RunWatch::End::kInputEnded: return 0;
    case RunWatch::End::kLeft: break;
  }
  return screen_.is_closed() ? 0 : kLeftByKey;
}

}  // namespace

int chat(const ChatOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went is seen where it is written to
  use_utf8_locale();
  auto pump = Pump::make();
  if (pump) {
    if (auto heard = (*pump)->take_signals(); !heard) pump = fail(heard.error());
  }
  if (!pump) {
    write_all(STDERR_FILENO, "braidlog: " + pump.error().message + "\n");
    return kFailed;
  }
  return Chat(**pump, options).run();
}

}  // namespace braidlog::terminal
