// Reads files where they can do no harm: each by a process of its own behind the walls of README.md, which ends with
// the file. What is recognized or taken apart by other programs (images, PDF) may start those, inside; what Python's
// own library reads (office documents, web pages) has the same walls as agents' code.
//
// On a host where that cannot be built every file is answered with kUnavailable and what to change.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/limits.h"
#include "port/text_extractor.h"
#include "sandbox/program_options.h"

namespace braidlog::sandbox {

class ReaderPool;
template <class Keeper>
class ProcessThread;

// Where the programs are; what is not named is looked for.
struct ExtractorOptions {
  ProgramOptions programs{};
  std::string tools = "/usr/bin";  // tesseract, pdftotext and their kin
};

class SandboxedExtractor final : public TextExtractor {
 public:
  // Starts nothing yet. `limits` outlives it.
  explicit SandboxedExtractor(const Limits& limits, ExtractorOptions options = {});
  // Kills and reaps all processes. Its extractions are gone by then.
  ~SandboxedExtractor() override;

  bool reads(std::string_view media_type) const override;
  [[nodiscard]] std::unique_ptr<Extraction> start(ExtractionJob job, Loop& loop,
                                                  UniqueFunction<void(Result<ExtractedText>)> done) override;

 private:
  ProcessThread<ReaderPool>& thread();

  const Limits& limits_;
  const ExtractorOptions options_;
  std::once_flag begun_;
  std::unique_ptr<ProcessThread<ReaderPool>> thread_;  // made with the first file
  std::atomic<std::uint64_t> next_number_{1};
};

}  // namespace braidlog::sandbox
