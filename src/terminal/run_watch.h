// One run, watched to its end by somebody who can be asked: its log is shown as it comes, approvals are put to the
// person and decided, Ctrl-C interrupts the run and a second one leaves it. A lost connection is not the end of it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "terminal/client.h"
#include "terminal/event_stream.h"
#include "terminal/input.h"
#include "terminal/run_printer.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

// Who sits there.
struct Person {
  Input* input = nullptr;  // null: nobody can be asked
  bool says_yes = false;   // to everything
};

class RunWatch final : private StreamListener {
 public:
  enum class End {
    kCompleted,
    kFailed,       // the run, or the watching of it; a line says why
    kInterrupted,  // the run
    kLeft,         // the person left; the run goes on
    kInputEnded,   // Ctrl-D at a question
  };

  RunWatch(Client& client, Screen& screen, Person person, std::string session_id, std::string run_id);
  ~RunWatch() override;

  End watch();

 private:
  struct Question {
    std::string id, tool, arguments;
  };

  bool on_frame(const Frame& frame) override;
  void on_lost() override;
  void on_end(const StreamEnd& end) override;

  void take(const json::object& event);
  void withdraw(std::string_view id, const json::object& event);
  bool must_act() const;
  bool take_signals();
  void interrupt();
  bool decide(const Question& question);
  std::optional<std::string> ask_person(const Question& question);
  void send_decision(const Question& question, std::string_view verb, std::string body);
  void release_held();

  Client& client_;
  Screen& screen_;
  const Person person_;
  const std::string session_path_, run_path_;
  RunPrinter printer_;
  std::deque<Question> questions_;
  bool in_question_ = false, must_repeat_question_ = false;
  std::deque<json::object> held_;  // what came while a person was asked
  int interrupts_ = 0;
  bool is_interrupt_due_ = false, is_interrupt_sent_ = false;
  std::optional<End> end_;
  Timer interrupt_timer_;
  EventStream stream_;  // last: it calls the others
};

}  // namespace braidlog::terminal
