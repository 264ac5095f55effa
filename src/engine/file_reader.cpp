#include "engine/file_reader.h"

#include <utility>

namespace braidlog {

namespace {

using Done = UniqueFunction<void(Result<ExtractedText>)>;

// Lives on its loop; the worker that fetches the file holds it weakly.
struct Reading : std::enable_shared_from_this<Reading> {
  TextExtractor& extractor;
  Loop& loop;
  std::string media_type;
  std::chrono::milliseconds time_max;
  Done done;
  std::unique_ptr<Extraction> extraction{};

  Reading(TextExtractor& e, Loop& l, std::string type, std::chrono::milliseconds time, Done d)
      : extractor(e), loop(l), media_type(std::move(type)), time_max(time), done(std::move(d)) {}

  void fetched(Result<api::FileContent> file) {
    if (!file) return done(fail(std::move(file.error())));
    extraction = extractor.start({std::move(file->content), media_type, time_max}, loop, std::move(done));
  }
};

class Handle final : public FileReading {
 public:
  explicit Handle(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}

 private:
  std::shared_ptr<Reading> reading_;  // the only one that is not weak, but for the moment of a callback
};

}  // namespace

std::unique_ptr<FileReading> FileReader::read(SessionId session_id, const Attachment& file,
                                              std::chrono::milliseconds time_max, Loop& loop, Done done) {
  auto reading = std::make_shared<Reading>(extractor_, loop, file.media_type, time_max, std::move(done));
  pool_.run([this, session_id, name = file.name, &loop, weak = std::weak_ptr(reading)] {
    auto content =
        std::make_shared<Result<api::FileContent>>(workspace_.read(session_id, name, limits_.workspace_file_bytes_max));
    loop.post([weak, content] {
      if (const auto here = weak.lock()) here->fetched(std::move(*content));
    });
  });
  return std::make_unique<Handle>(std::move(reading));
}

}  // namespace braidlog
