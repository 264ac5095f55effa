#include "sandbox/sandboxed_extractor.h"

#include "sandbox/process_thread.h"
#include "sandbox/reader_pool.h"

namespace braidlog::sandbox {

namespace {

// Runs on: the loop that the text is for.
class SandboxedExtraction final : public Extraction {
 public:
  SandboxedExtraction(ProcessThread<ReaderPool>& thread, std::uint64_t number, std::shared_ptr<ExtractionLink> link)
      : thread_(thread), number_(number), link_(std::move(link)) {}
  ~SandboxedExtraction() override {
    link_->close();
    thread_.post([number = number_](ReaderPool& pool) { pool.cancel(number); });
  }

 private:
  ProcessThread<ReaderPool>& thread_;
  const std::uint64_t number_;
  const std::shared_ptr<ExtractionLink> link_;  // shared with the pool, which speaks through it
};

}  // namespace

SandboxedExtractor::SandboxedExtractor(const Limits& limits, ExtractorOptions options)
    : limits_(limits), options_(std::move(options)) {}

SandboxedExtractor::~SandboxedExtractor() = default;

bool SandboxedExtractor::reads(std::string_view media_type) const {
  return find_file_reader(media_type) != nullptr;
}

std::unique_ptr<Extraction> SandboxedExtractor::start(ExtractionJob job, Loop& loop,
                                                      UniqueFunction<void(Result<ExtractedText>)> done) {
  const std::uint64_t number = next_number_++;
  auto link = std::make_shared<ExtractionLink>(loop, std::move(done));
  thread().post(
      [job = ReadingJob{number, std::move(job), link}](ReaderPool& pool) mutable { pool.read(std::move(job)); });
  return std::make_unique<SandboxedExtraction>(thread(), number, std::move(link));
}

ProcessThread<ReaderPool>& SandboxedExtractor::thread() {
  std::call_once(begun_, [this] {
    thread_ = std::make_unique<ProcessThread<ReaderPool>>("extractor", [this](int epoll_fd) {
      return std::make_unique<ReaderPool>(limits_, find_programs(options_.programs), options_.tools, epoll_fd);
    });
  });
  return *thread_;
}

}  // namespace braidlog::sandbox
