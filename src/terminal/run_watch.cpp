#include "terminal/run_watch.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "terminal/figures.h"
#include "terminal/quiet_terminal.h"
#include "terminal/safe_text.h"

namespace braidlog::terminal {

namespace {

constexpr std::chrono::seconds kInterruptAgain{1};
constexpr std::int64_t kVerdictApproved = 0;  // event/event_values.h
constexpr std::string_view kAlways = R"({"apply_to_future":true})";

bool ends_run(const json::object& event) {
  const auto type = text_of(event, "type");
  return type == "run.completed" || type == "run.failed" || type == "run.interrupted";
}

json::object event_of(const Frame& frame) {
  auto parsed = parse_json(frame.data);
  return parsed && parsed->is_object() ? parsed->get_object() : json::object();
}

StreamOptions log_options() {
  StreamOptions options;
  options.is_last = [](const Frame& frame) {
    return frame.data.find(R"("type":"run.)") != std::string_view::npos && ends_run(event_of(frame));
  };
  return options;
}

bool is_one_of(std::string_view answer, std::string_view word) {
  return !answer.empty() && word.starts_with(answer);
}

}  // namespace

RunWatch::RunWatch(Client& client, Screen& screen, Person person, std::string session_id, std::string run_id)
    : client_(client),
      screen_(screen),
      person_(person),
      session_path_("/api/v1/sessions/" + percent_encode(session_id)),
      run_path_("/runs/" + percent_encode(run_id)),
      printer_(screen),
      stream_(client.pump().loop(), client.pump().http(), client.request(Method::kGet, run_path_ + "/log"),
              log_options(), *this) {}

RunWatch::~RunWatch() = default;

RunWatch::End RunWatch::watch() {
  QuietTerminal quiet(person_.input != nullptr);
  stream_.open();
  while (!end_) {
    client_.pump().until([&] { return must_act(); });
    if (!take_signals() || screen_.is_closed()) end_ = End::kLeft;
    if (std::exchange(is_interrupt_due_, false)) interrupt();
    if (end_ || questions_.empty()) continue;
    const Question question = questions_.front();
    quiet.pause();
    if (!decide(question)) end_ = End::kInputEnded;
    quiet.resume();
    if (!questions_.empty() && questions_.front().id == question.id) questions_.pop_front();
    release_held();
  }
  screen_.end_text();
  return *end_;
}

bool RunWatch::must_act() const {
  return end_ || !questions_.empty() || is_interrupt_due_ || screen_.is_closed() || client_.pump().has_signal();
}

bool RunWatch::on_frame(const Frame& frame) {
  auto event = event_of(frame);
  if (text_of(event, "type") == "input.given") withdraw(text_of(event, "input_id"), event);
  if (in_question_) {
    held_.push_back(std::move(event));
  } else {
    take(event);
  }
  return true;
}

void RunWatch::take(const json::object& event) {
  printer_.show(event);
  const auto type = text_of(event, "type");
  if (type == "input.requested" && !flag_of(event, "decided_by_policy")) {
    questions_.push_back({std::string(text_of(event, "input_id")), safe_line(text_of(event, "tool_name")),
                          safe_json_line(text_of(event, "args_json"))});
  }
  if (type == "run.completed") end_ = End::kCompleted;
  if (type == "run.failed") end_ = End::kFailed;
  if (type == "run.interrupted") end_ = End::kInterrupted;
}

void RunWatch::release_held() {
  while (!held_.empty()) {
    const auto event = std::move(held_.front());
    held_.pop_front();
    take(event);
  }
}

// Answered, by whomever: nobody is to be asked any more.
void RunWatch::withdraw(std::string_view id, const json::object& event) {
  std::erase_if(held_, [&](const json::object& held) {
    return text_of(held, "type") == "input.requested" && text_of(held, "input_id") == id;
  });
  const auto known = std::ranges::find(questions_, id, &Question::id);
  if (known == questions_.end()) return;
  if (in_question_ && known == questions_.begin()) {
    screen_.leave_question();
    const bool is_approved = number_of(event, "verdict") == kVerdictApproved;
    screen_.note(screen_.style().dim(is_approved ? "  allowed elsewhere"
                                                 : "  not allowed: " + safe_line(text_of(event, "reason"))));
    printer_.set_answered_here(id);
  }
  questions_.erase(known);
}

void RunWatch::on_lost() {
  screen_.leave_question();
  screen_.note(screen_.style().dim("connection lost, going on \xE2\x80\xA6"));
  must_repeat_question_ = in_question_;
}

void RunWatch::on_end(const StreamEnd& end) {
  release_held();
  if (end_) return;
  if (end.kind == StreamEnd::Kind::kGaveUp) {
    screen_.note(screen_.style().red("the server did not come back; the run is kept there"));
  } else {
    screen_.note(screen_.style().red(error_words(end.status, end.body)));
  }
  end_ = End::kFailed;
}

// False: the person leaves.
bool RunWatch::take_signals() {
  while (client_.pump().has_signal()) {
    const int signal = client_.pump().next_signal();
    if (signal == SIGTERM || signal == SIGHUP) return false;
    if (signal != SIGINT) continue;
    if (++interrupts_ > 1) return false;
    screen_.leave_question();
    screen_.note(screen_.style().dim("interrupting \xE2\x80\xA6 (Ctrl-C again leaves)"));
    interrupt();
  }
  return true;
}

// Again until the server has taken it: it may be away just now.
void RunWatch::interrupt() {
  if (end_ || is_interrupt_sent_) return;
  const auto stop = [this] { return end_ || client_.pump().stop_count() > 0; };
  const auto reply = client_.ask(client_.request(Method::kPost, session_path_ + run_path_ + "/interrupt"), stop);
  is_interrupt_sent_ = reply.kind == Reply::Kind::kAnswer && !reply.is_passing();
  if (is_interrupt_sent_) return;
  interrupt_timer_ = client_.pump().loop().after(kInterruptAgain, [this] { is_interrupt_due_ = true; });
}

// False: there is nobody to ask any more.
bool RunWatch::decide(const Question& question) {
  if (person_.says_yes) {
    screen_.note(screen_.style().dim("  allowed by --yes: " + question.tool + " " + question.arguments));
    return send_decision(question, "approve", {}), true;
  }
  if (person_.input == nullptr) {
    screen_.note("not allowed, for nobody can be asked here (--yes allows): " + question.tool + " " +
                 question.arguments);
    return send_decision(question, "reject", {}), true;
  }
  in_question_ = true;
  const auto answer = ask_person(question);
  in_question_ = false;
  if (!answer) return end_ || interrupts_ > 0 || questions_.empty() || questions_.front().id != question.id;
  if (is_one_of(*answer, "always")) {
    screen_.note(screen_.style().dim("  " + question.tool + " is allowed in this session from now on"));
    send_decision(question, "approve", std::string(kAlways));
  } else {
    send_decision(question, is_one_of(*answer, "yes") ? "approve" : "reject", {});
  }
  return true;
}

// A beginning of "yes", "no" or "always"; none when the question went away or the person did.
std::optional<std::string> RunWatch::ask_person(const Question& question) {
  person_.input->drop_typed();
  for (bool must_show = true;;) {
    if (must_show || std::exchange(must_repeat_question_, false)) {
      screen_.question(screen_.style().bold("Allow ") + question.tool + " " + question.arguments +
                       screen_.style().bold("? [y]es / [n]o / [a]lways "));
    }
    const auto is_gone = [&] { return end_ || questions_.empty() || questions_.front().id != question.id; };
    std::string line;
    const auto got = person_.input->read_line(
        line, [&] { return is_gone() || must_repeat_question_ || client_.pump().has_signal(); });
    if (got == Input::Got::kEnd) return screen_.leave_question(), std::nullopt;
    if (got == Input::Got::kStopped) {
      if (!take_signals()) end_ = End::kLeft;
      if (is_gone() || interrupts_ > 0) return std::nullopt;
      must_show = false;
      continue;
    }
    std::string answer = safe_line(line);
    for (char& c : answer) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const auto word : {"yes", "no", "always"}) {
      if (is_one_of(answer, word)) return answer;
    }
    must_show = true;
  }
}

void RunWatch::send_decision(const Question& question, std::string_view verb, std::string body) {
  printer_.set_answered_here(question.id);
  const std::string path = session_path_ + "/approvals/" + percent_encode(question.id) + "/" + std::string(verb);
  const auto stop = [this] { return end_ || client_.pump().stop_count() > 0; };
  for (auto pause = std::chrono::milliseconds(300);; pause = std::min(pause * 2, std::chrono::milliseconds(5000))) {
    const auto reply = client_.ask(client_.request(Method::kPost, path, body), stop);
    // 409: somebody else was faster, or it was this very decision, sent before the connection went.
    if (reply.is(200) || reply.is(409) || reply.kind == Reply::Kind::kStopped) return;
    if (!reply.is_passing()) return screen_.note(screen_.style().red(client_.words_of(reply)));
    client_.pump().until(stop, pause);
    if (stop()) return;
  }
}

}  // namespace braidlog::terminal
