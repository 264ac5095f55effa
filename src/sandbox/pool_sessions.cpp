// The pool as its sessions see it: code in, calls and ends out.
#include "base/check.h"
#include "sandbox/pool.h"

namespace braidlog::sandbox {

using std::chrono::steady_clock;

void Pool::open(SessionNumber number, std::shared_ptr<SessionLink> link, const std::vector<CodeFunction>& functions) {
  Session& session = sessions_[number];
  session.link = std::move(link);
  session.functions_json = functions_as_json(functions);
  for (const auto& function : functions) session.names.insert(function.name);
}

void Pool::run(SessionNumber number, std::string code) {
  Session& session = sessions_.at(number);
  if (code.size() > limits_.code_bytes_max) {
    CodeOutcome outcome;
    outcome.error = words_.code + ": this has " + std::to_string(code.size()) + " bytes";
    return session.link->done(std::move(outcome));
  }
  if (session.worker && session.worker->state == Worker::State::kTaken) {
    session.worker->process->drain_output();  // of threads that the last code left behind; nobody asked for it
    session.run.emplace(limits_, words_);
    session.run->begin(steady_clock::now());
    session.worker->process->thaw();
    return session.worker->process->send(run_frame(code, {}));
  }
  if (session.worker) {  // it ends this moment; its end answers
    session.run.emplace(limits_, words_);
    return;
  }
  if (session.lost_unseen) {
    session.lost_unseen = false;
    CodeOutcome outcome;
    outcome.error =
        "the Python process has ended since the last code, and its variables are gone; this code was not run";
    outcome.lost = true;
    return session.link->done(std::move(outcome));
  }
  session.waiting_code = std::move(code);
  session.wait_until = steady_clock::now() + limits_.sandbox_wait_max;
  line_.push_back(number);
  if (hopeless()) return refuse_line();
  serve_line();
}

void Pool::answer(SessionNumber number, std::string frame) {
  Session& session = sessions_.at(number);
  // The process may have ended while the answer was on its way.
  if (!session.worker || session.worker->state != Worker::State::kTaken || !session.run || !session.run->waits())
    return;
  session.run->resume(steady_clock::now());
  session.worker->process->thaw();
  session.worker->process->send(std::move(frame));
}

void Pool::close(SessionNumber number) {
  auto session = sessions_.extract(number);
  if (session.empty()) return;
  drop_from_line(number);
  if (Worker* worker = session.mapped().worker) {
    worker->session = 0;
    stop(*worker, StopReason::kNone);
  }
}

void Pool::take_message(Worker& worker, std::optional<RunnerMessage> message) {
  Session* session = session_of(worker);
  // Nobody has anything to say while no code runs, or while it waits for an answer.
  if (!message || !session || !session->run || session->run->waits()) return stop(worker, StopReason::kProtocol);
  switch (message->kind) {
    case RunnerMessage::Kind::kReady: return stop(worker, StopReason::kProtocol);
    case RunnerMessage::Kind::kCall:
      if (!session->names.contains(message->name)) return stop(worker, StopReason::kProtocol);
      session->run->pause(steady_clock::now());
      worker.process->freeze();
      return session->link->call(std::move(message->name), std::move(message->args));
    case RunnerMessage::Kind::kDone: return take_end(worker, *session, std::move(*message));
  }
}

void Pool::take_end(Worker& worker, Session& session, RunnerMessage message) {
  // What it printed was written before this message, so it is there.
  worker.process->drain_output();
  if (worker.process->files_in_home() > kFilesMax) stop(worker, StopReason::kDisk);
  if (worker.state == Worker::State::kStopping) return;  // its end answers
  const bool leaving = message.leaving;
  auto outcome = session.run->ended(std::move(message));
  session.run.reset();
  if (leaving) {
    session.worker = nullptr;
    worker.session = 0;
    stop(worker, StopReason::kNone);
  } else {
    worker.process->freeze();
  }
  session.link->done(std::move(outcome));
}

bool Pool::hopeless() const {
  return problem_ && !ever_ready_ && steady_clock::now() < retry_at_;
}

void Pool::refuse_line() {
  for (const auto number : line_) {
    Session& session = sessions_.at(number);
    session.waiting_code.reset();
    CodeOutcome outcome;
    outcome.error = "code cannot run on this server: " + *problem_;
    outcome.unavailable = true;
    session.link->done(std::move(outcome));
  }
  line_.clear();
}

void Pool::drop_from_line(SessionNumber number) {
  std::erase(line_, number);
}

Pool::Session* Pool::session_of(const Worker& worker) {
  const auto found = sessions_.find(worker.session);
  return found == sessions_.end() ? nullptr : &found->second;
}

}  // namespace braidlog::sandbox
