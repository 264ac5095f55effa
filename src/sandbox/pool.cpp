#include "sandbox/pool.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "sandbox/host_advice.h"
#include "sandbox/syscall_filter.h"

namespace braidlog::sandbox {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSilenceMax{100};
constexpr milliseconds kEndTimeMax{1'000};
constexpr milliseconds kFileLookInterval{200};
constexpr milliseconds kRetryNever{5'000};  // where nothing has ever started
constexpr milliseconds kRetryAgain{250};    // where it usually does
constexpr std::size_t kSaidBytesMax = 8'192;

}  // namespace

Pool::Pool(const Limits& limits, Programs programs, int epoll_fd,
           UniqueFunction<void(std::optional<std::string> problem)> on_health)
    : limits_(limits),
      words_(limits),
      programs_(std::move(programs)),
      epoll_fd_(epoll_fd),
      on_health_(std::move(on_health)) {}

Pool::~Pool() = default;

void Pool::start() {
  keeps_ready_ = true;
  fill();
}

// Processes.

void Pool::serve_line() {
  for (auto& [key, worker] : workers_) {
    if (line_.empty()) break;
    if (worker.state != Worker::State::kReady) continue;
    const SessionNumber number = line_.front();
    line_.pop_front();
    give(worker, number, sessions_.at(number));
  }
  fill();
}

void Pool::give(Worker& worker, SessionNumber number, Session& session) {
  worker.state = Worker::State::kTaken;
  worker.session = number;
  session.worker = &worker;
  session.run.emplace(limits_, words_);
  session.run->begin(steady_clock::now());
  worker.process->send(run_frame(*session.waiting_code, session.functions_json));
  session.waiting_code.reset();
}

void Pool::fill() {
  if (shutting_down_) return;
  const auto is_coming = [](const auto& entry) {
    return entry.second.state == Worker::State::kStarting || entry.second.state == Worker::State::kReady;
  };
  for (;;) {
    const std::size_t wanted = line_.size() + (keeps_ready_ ? limits_.sandboxes_ready : 0);
    const auto coming = static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), is_coming));
    if (coming >= wanted || workers_.size() >= limits_.sandboxes_max || steady_clock::now() < retry_at_) return;
    start_one();
  }
}

void Pool::start_one() {
  if (auto missing = missing_program(programs_)) return failed_to_start(std::move(*missing));
  if (outer_filter_.empty()) {
    auto outer = outer_filter();
    auto inner = inner_filter();
    if (!outer || !inner) return failed_to_start(!outer ? outer.error().message : inner.error().message);
    outer_filter_ = std::move(*outer);
    inner_filter_ = std::move(*inner);
  }
  std::set<unsigned> taken;
  for (const auto& [key, worker] : workers_) taken.insert(worker.number);
  unsigned number = 0;
  while (taken.contains(number)) ++number;
  auto spawned = spawn(plan_of(programs_, limits_, number), outer_filter_);
  if (!spawned) return failed_to_start(spawned.error().message);

  const auto key = next_key_;
  next_key_ += Process::kSources;
  Worker& worker = workers_[key];
  worker.number = number;
  worker.deadline = steady_clock::now() + programs_.start_time_max;
  worker.process = std::make_unique<Process>(std::move(*spawned), *this, epoll_fd_, key, frame_bytes_max(limits_));
  worker.process->send(modules_frame(runner_modules()) + settings_frame(limits_, words_, inner_filter_));
}

void Pool::failed_to_start(std::string why) {
  retry_at_ = steady_clock::now() + (ever_ready_ ? kRetryAgain : kRetryNever);
  if (problem_ != why) {
    log_error("no sandbox can be started; code of agents does not run", {{"why", why}});
    problem_ = std::move(why);
    on_health_(problem_);
  }
  if (!ever_ready_) refuse_line();
}

void Pool::became_ready(Worker& worker, const std::optional<RunnerMessage>& message) {
  if (!message || message->kind != RunnerMessage::Kind::kReady || !worker.process->find_python()) {
    worker.said += "\nthe sandbox did not report as it should";
    return stop(worker, StopReason::kProtocol);
  }
  if (!worker.process->home_is_seen()) {
    worker.said += "\nthe server may not look into its sandboxes: it needs CAP_SYS_PTRACE when it is root";
    return stop(worker, StopReason::kProtocol);
  }
  worker.state = Worker::State::kReady;
  worker.was_ready = true;
  if (problem_ || !ever_ready_) {
    if (problem_) log_info("sandboxes can be started again");
    problem_.reset();
    ever_ready_ = true;
    on_health_(std::nullopt);
  }
  serve_line();
}

void Pool::stop(Worker& worker, StopReason reason) {
  if (worker.state == Worker::State::kStopping) return;
  worker.state = Worker::State::kStopping;
  worker.reason = reason;
  worker.deadline = steady_clock::now() + kEndTimeMax;
  worker.process->kill();
}

void Pool::on_frame(Process& process, std::string frame) {
  Worker& worker = worker_of(process);
  if (worker.state == Worker::State::kStopping) return;
  auto message = parse_message(frame);
  if (worker.state == Worker::State::kStarting) return became_ready(worker, message);
  take_message(worker, std::move(message));
}

void Pool::on_output(Process& process, std::string_view bytes) {
  Worker& worker = worker_of(process);
  if (!worker.was_ready)
    worker.said.append(bytes.substr(0, kSaidBytesMax - std::min(kSaidBytesMax, worker.said.size())));
  Session* session = session_of(worker);
  if (session && session->run && !session->run->add_output(bytes)) stop(worker, StopReason::kOutput);
}

void Pool::on_silent(Process& process) {
  Worker& worker = worker_of(process);
  if (worker.state == Worker::State::kStopping) return;
  worker.state = Worker::State::kSilent;
  worker.deadline = steady_clock::now() + kSilenceMax;
}

void Pool::on_nonsense(Process& process) {
  stop(worker_of(process), StopReason::kProtocol);
}

void Pool::on_gone(Process& process, int status) {
  Worker& worker = worker_of(process);
  dead_.push_back(process.key());
  const bool failed = !worker.was_ready && !shutting_down_;
  worker.state = Worker::State::kStopping;
  if (Session* session = session_of(worker)) {
    session->worker = nullptr;
    worker.session = 0;
    if (session->run) {
      auto outcome = session->run->stopped(worker.reason, status);
      session->run.reset();
      session->link->done(std::move(outcome));
    } else {
      session->lost_unseen = true;
    }
  }
  if (failed) failed_to_start(advice_for(worker.said, read_host_facts()));
}

Pool::Worker& Pool::worker_of(const Process& process) {
  return workers_.at(process.key());
}

// Rounds.

void Pool::handle(std::uint64_t key) {
  const auto found = workers_.find(key - key % Process::kSources);
  if (found == workers_.end() || found->second.process->gone()) return;
  found->second.process->handle(static_cast<Process::Source>(key % Process::kSources));
}

void Pool::tick() {
  const Time now = steady_clock::now();
  const bool look_at_files = now >= next_look_at_files_;
  if (look_at_files) next_look_at_files_ = now + kFileLookInterval;
  for (auto& [key, worker] : workers_) tick_worker(worker, now, look_at_files);
  for (const auto key : dead_) workers_.erase(key);
  dead_.clear();
  while (!line_.empty() && sessions_.at(line_.front()).wait_until <= now) {
    Session& session = sessions_.at(line_.front());
    line_.pop_front();
    session.waiting_code.reset();
    CodeOutcome outcome;
    outcome.error = problem_
                        ? "no sandbox could be started: " + *problem_
                        : words_.sandboxes + ": none became free within " + time_in_words(limits_.sandbox_wait_max);
    session.link->done(std::move(outcome));
  }
  fill();
}

void Pool::tick_worker(Worker& worker, Time now, bool look_at_files) {
  switch (worker.state) {
    case Worker::State::kStarting:
      if (worker.deadline > now) return;
      worker.said += "it was not ready within " + time_in_words(programs_.start_time_max);
      return stop(worker, StopReason::kProtocol);
    case Worker::State::kSilent:
      if (worker.deadline <= now) stop(worker, StopReason::kProtocol);
      return;
    case Worker::State::kStopping:
      if (worker.deadline > now || worker.process->gone()) return;
      worker.deadline = now + kEndTimeMax;
      return worker.process->kill_all();
    case Worker::State::kTaken: {
      const Session* session = session_of(worker);
      if (!session || !session->run || session->run->waits()) return;
      if (*session->run->kill_at() <= now) return stop(worker, StopReason::kTime);
      if (look_at_files && worker.process->files_in_home() > kFilesMax) stop(worker, StopReason::kDisk);
      return;
    }
    case Worker::State::kReady: return;
  }
}

std::optional<Time> Pool::next_due() const {
  std::optional<Time> due;
  const auto consider = [&due](Time time) { due = due ? std::min(*due, time) : time; };
  for (const auto& [key, worker] : workers_) {
    if (worker.state == Worker::State::kReady) continue;
    if (worker.state != Worker::State::kTaken) {
      consider(worker.deadline);
      continue;
    }
    const auto session = sessions_.find(worker.session);
    if (session == sessions_.end() || !session->second.run || session->second.run->waits()) continue;
    consider(*session->second.run->kill_at());
    consider(next_look_at_files_);
  }
  if (!line_.empty()) consider(sessions_.at(line_.front()).wait_until);
  if ((!line_.empty() || keeps_ready_) && retry_at_ > steady_clock::now()) consider(retry_at_);
  return due;
}

int Pool::timeout_ms() const {
  const auto due = next_due();
  if (!due) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*due - steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Pool::shut_down() {
  shutting_down_ = true;
  for (auto& [key, worker] : workers_) stop(worker, StopReason::kNone);
}

}  // namespace braidlog::sandbox
