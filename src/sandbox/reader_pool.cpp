#include "sandbox/reader_pool.h"

#include <signal.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sandbox/host_advice.h"
#include "sandbox/messages.h"
#include "sandbox/syscall_filter.h"

namespace braidlog::sandbox {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kEndTimeMax{1'000};
constexpr milliseconds kMemoryLookInterval{100};
constexpr std::size_t kSaidBytesMax = 8'192;
constexpr int kKilled = 128 + SIGKILL;

Error unavailable(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why), {}};
}

}  // namespace

ReaderPool::ReaderPool(const Limits& limits, Programs programs, std::string tools, int epoll_fd)
    : limits_(limits), programs_(std::move(programs)), tools_(std::move(tools)), epoll_fd_(epoll_fd) {}

ReaderPool::~ReaderPool() = default;

void ReaderPool::read(ReadingJob job) {
  line_.push_back(std::move(job));
  serve_line();
}

void ReaderPool::cancel(std::uint64_t number) {
  std::erase_if(line_, [&](const ReadingJob& job) { return job.number == number; });
  for (auto& [key, worker] : workers_) {
    if (worker.number != number) continue;
    worker.link.reset();
    stop(worker);
  }
}

// Processes.

void ReaderPool::serve_line() {
  while (!line_.empty() && !shutting_down_ && workers_.size() - dead_.size() < limits_.extractions_max) {
    ReadingJob job = std::move(line_.front());
    line_.pop_front();
    const auto link = job.link;
    const FileReader* reader = find_file_reader(job.file.media_type);
    if (!reader) {
      link->finish(fail(error_of(Complaint::kUnreadable, job.file, limits_)));
      continue;
    }
    if (auto begun = begin(std::move(job), *reader); !begun) link->finish(fail(std::move(begun.error())));
  }
}

Status ReaderPool::begin(ReadingJob job, const FileReader& reader) {
  if (auto missing = missing_program(programs_)) return fail(unavailable(std::move(*missing)));
  if (auto missing = missing_reader_program(reader, tools_)) return fail(unavailable(std::move(*missing)));
  const auto filter = filter_of(reader);
  if (!filter) return fail(unavailable(filter.error().message));

  const std::size_t file_bytes = job.file.content.size();
  const Room room{.memory_bytes_max = limits_.extraction_memory_bytes_max,
                  .disk_bytes_max = reader.scratch_bytes + (reader.copies_file ? 2 : 1) * file_bytes};
  // After the users of code, who may be there at the same time.
  const unsigned place = free_place();
  auto spawned = spawn(plan_of(programs_, room, static_cast<unsigned>(limits_.sandboxes_max) + place), *filter);
  if (!spawned) return fail(unavailable(std::move(spawned.error().message)));

  const auto key = next_key_;
  next_key_ += Process::kSources;
  Worker& worker = workers_[key];
  worker.place = place;
  worker.number = job.number;
  worker.link = std::move(job.link);
  worker.deadline = steady_clock::now() + programs_.start_time_max;
  worker.process =
      std::make_unique<Process>(std::move(*spawned), *this, epoll_fd_, key, reading_frame_bytes_max(limits_));
  worker.process->send(
      modules_frame(reader_modules()) +
      reading_settings_frame(job.file, limits_, reader.programs.empty() ? std::string_view(inner_filter_) : ""));
  worker.file = std::move(job.file);
  return {};
}

Result<std::string_view> ReaderPool::filter_of(const FileReader& reader) {
  if (plain_filter_.empty()) {
    auto plain = outer_filter();
    auto calling = outer_filter_with_processes();
    auto inner = inner_filter();
    for (auto* made : {&plain, &calling, &inner}) {
      if (!*made) return fail(std::move(made->error()));
    }
    plain_filter_ = std::move(*plain);
    calling_filter_ = std::move(*calling);
    inner_filter_ = std::move(*inner);
  }
  return std::string_view(reader.programs.empty() ? plain_filter_ : calling_filter_);
}

unsigned ReaderPool::free_place() const {
  std::set<unsigned> taken;
  for (const auto& [key, worker] : workers_) taken.insert(worker.place);
  unsigned place = 0;
  while (taken.contains(place)) ++place;
  return place;
}

void ReaderPool::became_ready(Worker& worker, const std::optional<ReaderMessage>& message) {
  // What did not pass bubblewrap would have no child, and no room of its own.
  if (!message || message->kind != ReaderMessage::Kind::kReady || !worker.process->find_python() ||
      !worker.process->home_is_seen()) {
    return finish(worker, fail(unavailable("the sandbox that reads files did not report as it should")));
  }
  // The file comes only now: a reader that had it could be done and gone before it is looked at here.
  worker.process->send(std::exchange(worker.file.content, {}));
  worker.state = Worker::State::kReading;
  worker.began = steady_clock::now();
  worker.deadline = worker.began + worker.file.time_max;
}

void ReaderPool::finish(Worker& worker, Result<ExtractedText> result) {
  if (const auto link = std::exchange(worker.link, nullptr)) link->finish(std::move(result));
  stop(worker);
}

void ReaderPool::complain(Worker& worker, Complaint complaint) {
  finish(worker, fail(error_of(complaint, worker.file, limits_)));
}

void ReaderPool::stop(Worker& worker) {
  if (worker.state == Worker::State::kStopping) return;
  worker.state = Worker::State::kStopping;
  worker.deadline = steady_clock::now() + kEndTimeMax;
  worker.process->kill();
}

// What processes do.

void ReaderPool::on_frame(Process& process, std::string frame) {
  Worker& worker = worker_of(process);
  if (worker.state == Worker::State::kStopping) return;
  auto message = parse_reader_message(frame, limits_);
  if (worker.state == Worker::State::kStarting) return became_ready(worker, message);
  if (!message || message->kind == ReaderMessage::Kind::kReady) return complain(worker, Complaint::kUnreadable);
  if (message->kind == ReaderMessage::Kind::kComplaint) return complain(worker, message->complaint);
  message->text.took = std::chrono::ceil<milliseconds>(steady_clock::now() - worker.began);
  finish(worker, std::move(message->text));
}

void ReaderPool::on_output(Process& process, std::string_view bytes) {
  std::string& said = worker_of(process).said;
  said.append(bytes.substr(0, kSaidBytesMax - std::min(kSaidBytesMax, said.size())));
}

void ReaderPool::on_silent(Process&) {}  // its end follows, or its time is over

void ReaderPool::on_nonsense(Process& process) {
  complain(worker_of(process), Complaint::kUnreadable);
}

void ReaderPool::on_gone(Process& process, int status) {
  Worker& worker = worker_of(process);
  dead_.push_back(process.key());
  const bool was_ready = std::exchange(worker.state, Worker::State::kStopping) != Worker::State::kStarting;
  if (!worker.link) return;
  if (!was_ready) return finish(worker, fail(unavailable(advice_for(worker.said, read_host_facts()))));
  // If nobody here has killed it, that was the kernel, for want of memory.
  complain(worker, status == kKilled ? Complaint::kMemory : Complaint::kUnreadable);
}

// Rounds.

void ReaderPool::handle(std::uint64_t key) {
  const auto found = workers_.find(key - key % Process::kSources);
  if (found == workers_.end() || found->second.process->gone()) return;
  found->second.process->handle(static_cast<Process::Source>(key % Process::kSources));
}

void ReaderPool::tick() {
  const Time now = steady_clock::now();
  const bool look_at_memory = now >= next_look_at_memory_;
  if (look_at_memory) next_look_at_memory_ = now + kMemoryLookInterval;
  for (auto& [key, worker] : workers_) look_at(worker, now, look_at_memory);
  for (const auto key : dead_) workers_.erase(key);
  dead_.clear();
  serve_line();
}

void ReaderPool::look_at(Worker& worker, Time now, bool look_at_memory) {
  if (worker.process->gone()) return;
  switch (worker.state) {
    case Worker::State::kStarting:
      if (worker.deadline > now) return;
      return finish(worker, fail(unavailable("the sandbox that reads files was not ready within " +
                                             time_in_words(programs_.start_time_max))));
    case Worker::State::kReading: {
      if (worker.deadline <= now) return complain(worker, Complaint::kTime);
      if (!look_at_memory) return;
      const auto bytes = worker.process->memory_bytes() + worker.process->bytes_in_home();
      if (bytes > limits_.extraction_memory_bytes_max) return complain(worker, Complaint::kMemory);
      if (worker.process->files_in_home() > kFilesMax) return complain(worker, Complaint::kParts);
      return;
    }
    case Worker::State::kStopping:
      if (worker.deadline > now) return;
      worker.deadline = now + kEndTimeMax;
      return worker.process->kill_all();
  }
}

int ReaderPool::timeout_ms() const {
  std::optional<Time> due;
  const auto consider = [&due](Time time) { due = due ? std::min(*due, time) : time; };
  for (const auto& [key, worker] : workers_) {
    consider(worker.deadline);
    if (worker.state == Worker::State::kReading) consider(next_look_at_memory_);
  }
  if (!due) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*due - steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void ReaderPool::shut_down() {
  shutting_down_ = true;
  line_.clear();
  for (auto& [key, worker] : workers_) {
    worker.link.reset();
    stop(worker);
  }
}

}  // namespace braidlog::sandbox
