// All files that are being read, each by a process of its own, and those that wait for a place. Runs on: the
// extractor's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "sandbox/code_run.h"
#include "sandbox/extraction_link.h"
#include "sandbox/file_readers.h"
#include "sandbox/process.h"
#include "sandbox/reading.h"
#include "sandbox/walls.h"

namespace braidlog::sandbox {

struct ReadingJob {
  std::uint64_t number = 0;
  ExtractionJob file;
  std::shared_ptr<ExtractionLink> link;
};

class ReaderPool final : public ProcessOwner {
 public:
  // `tools` is the folder of the programs that readers call.
  ReaderPool(const Limits& limits, Programs programs, std::string tools, int epoll_fd);
  ~ReaderPool() override;

  void read(ReadingJob job);
  // Whoever wanted it has gone. Also for a job that is over.
  void cancel(std::uint64_t number);

  // What ProcessThread asks of its keeper.
  void handle(std::uint64_t key);
  void tick();
  int timeout_ms() const;
  void shut_down();
  bool empty() const { return workers_.size() == dead_.size(); }

 private:
  struct Worker {
    enum class State {
      kStarting,
      kReading,
      kStopping,  // killed, or at its end
    };
    std::unique_ptr<Process> process;
    unsigned place = 0;
    State state = State::kStarting;
    std::uint64_t number = 0;
    ExtractionJob file;                    // its content is on the way, or there
    std::shared_ptr<ExtractionLink> link;  // null once it was answered
    Time began{};                          // to read
    Time deadline{};                       // of the start, of the reading, of the end
    std::string said;                      // what it wrote beside its frames
  };

  void on_frame(Process& process, std::string frame) override;
  void on_output(Process& process, std::string_view bytes) override;
  void on_silent(Process& process) override;
  void on_nonsense(Process& process) override;
  void on_gone(Process& process, int status) override;

  void serve_line();
  Status begin(ReadingJob job, const FileReader& reader);
  Result<std::string_view> filter_of(const FileReader& reader);
  void became_ready(Worker& worker, const std::optional<ReaderMessage>& message);
  void finish(Worker& worker, Result<ExtractedText> result);
  void complain(Worker& worker, Complaint complaint);
  void stop(Worker& worker);
  void look_at(Worker& worker, Time now, bool look_at_memory);
  unsigned free_place() const;
  Worker& worker_of(const Process& process) { return workers_.at(process.key()); }

  const Limits& limits_;
  const Programs programs_;
  const std::string tools_;
  const int epoll_fd_;

  std::map<std::uint64_t, Worker> workers_;  // by key of their process
  std::uint64_t next_key_ = Process::kSources;
  std::vector<std::uint64_t> dead_;  // erased at the end of the round: events of theirs may still be on the way
  std::deque<ReadingJob> line_;

  std::string plain_filter_;    // for readers that start no process
  std::string calling_filter_;  // for those that do
  std::string inner_filter_;
  bool shutting_down_ = false;
  Time next_look_at_memory_{};
};

}  // namespace braidlog::sandbox
