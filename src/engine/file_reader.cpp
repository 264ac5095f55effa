#include "engine/file_reader.h"

#include <deque>
#include <utility>

#include "base/thread_annotations.h"

namespace braidlog {

namespace {

using Done = UniqueFunction<void(Result<ExtractedText>)>;

class Reading;

// A reading that waits. It is looked at on its own loop alone: a weak pointer that is locked elsewhere could end it
// there.
struct Waiting {
  Loop* loop = nullptr;
  std::weak_ptr<Reading> reading;
};

}  // namespace

struct FileReader::Shared {
  Shared(Workspace& w, WorkerPool& p, TextExtractor& e, const Limits& l)
      : workspace(w), pool(p), extractor(e), limits(l) {}

  Workspace& workspace;
  WorkerPool& pool;
  TextExtractor& extractor;
  const Limits& limits;

  Mutex mutex;
  std::size_t busy GUARDED_BY(mutex) = 0;
  std::deque<Waiting> line GUARDED_BY(mutex){};

  // True: there is a place. False: it stands in the line.
  bool take_place(Waiting waiting) {
    const MutexLock lock(mutex);
    if (busy < limits.extractions_max) {
      ++busy;
      return true;
    }
    line.push_back(std::move(waiting));
    return false;
  }
  // Gives the place to the next one.
  void leave_place();
};

namespace {

class Reading : public std::enable_shared_from_this<Reading> {
 public:
  Reading(std::shared_ptr<FileReader::Shared> shared, Loop& loop, SessionId session_id, std::string name,
          ExtractionJob job, Done done)
      : shared_(std::move(shared)),
        loop_(loop),
        session_id_(session_id),
        name_(std::move(name)),
        job_(std::move(job)),
        done_(std::move(done)) {}
  ~Reading() {
    if (has_place_) shared_->leave_place();
  }

  // It has a place now.
  void fetch() {
    has_place_ = true;
    shared_->pool.run(
        [shared = shared_, &loop = loop_, session_id = session_id_, name = name_, weak = weak_from_this()] {
          auto content = std::make_shared<Result<api::FileContent>>(
              shared->workspace.read(session_id, name, shared->limits.workspace_file_bytes_max));
          loop.post([weak, content] {
            if (const auto here = weak.lock()) here->fetched(std::move(*content));
          });
        });
  }

 private:
  void fetched(Result<api::FileContent> file) {
    if (!file) return finish(fail(std::move(file.error())));
    job_.content = std::move(file->content);
    extraction_ = shared_->extractor.start(std::move(job_), loop_, [this](Result<ExtractedText> found) {
      const auto self = shared_from_this();
      finish(std::move(found));
    });
  }
  void finish(Result<ExtractedText> found) {
    if (std::exchange(has_place_, false)) shared_->leave_place();
    done_(std::move(found));
  }

  const std::shared_ptr<FileReader::Shared> shared_;
  Loop& loop_;
  const SessionId session_id_;
  const std::string name_;
  ExtractionJob job_;
  Done done_;
  bool has_place_ = false;
  std::unique_ptr<Extraction> extraction_;
};

class Handle final : public FileReading {
 public:
  explicit Handle(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}

 private:
  std::shared_ptr<Reading> reading_;  // the only one, but for the moment of a callback
};

}  // namespace

void FileReader::Shared::leave_place() {
  const MutexLock lock(mutex);
  if (line.empty()) {
    --busy;
    return;
  }
  const Waiting next = std::move(line.front());
  line.pop_front();
  next.loop->post([this, reading = next.reading] {
    const auto here = reading.lock();
    here ? here->fetch() : leave_place();
  });
}

FileReader::FileReader(Workspace& workspace, WorkerPool& pool, TextExtractor& extractor, const Limits& limits)
    : shared_(std::make_shared<Shared>(workspace, pool, extractor, limits)) {}
FileReader::~FileReader() = default;

std::unique_ptr<FileReading> FileReader::read(SessionId session_id, const Attachment& file,
                                              std::chrono::milliseconds time_max, Loop& loop, Done done) {
  auto reading = std::make_shared<Reading>(shared_, loop, session_id, file.name,
                                           ExtractionJob{{}, file.media_type, time_max}, std::move(done));
  if (shared_->take_place({&loop, reading})) reading->fetch();
  return std::make_unique<Handle>(std::move(reading));
}

}  // namespace braidlog
