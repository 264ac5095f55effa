// The text of a file that is no text: an image, a PDF, an office document, a web page. Its parsers work in closed-off
// processes with limits on time, memory, pages, pixels and unpacked size, a few at once; a file may be made to harm
// them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/result.h"

namespace braidlog {

struct ExtractionJob {
  std::string content;
  std::string media_type;
  std::chrono::milliseconds time_max{};  // without what it waits for a free place
};

struct ExtractedText {
  std::string text;  // valid UTF-8; empty when the file holds no text
  // What was not read, in words for the model ("Pages 21 to 80 were not read."); empty: nothing.
  std::string left_out{};
  std::chrono::milliseconds took{};  // as time_max counts
};

// Work under way. Destroying it ends it at once; `done` is then never called.
class Extraction {
 public:
  virtual ~Extraction() = default;
};

// Thread-safe.
class TextExtractor {
 public:
  virtual ~TextExtractor() = default;
  // Whether files of this type are read here at all; text/plain, text/csv and text/markdown are not, being text.
  virtual bool reads(std::string_view media_type) const = 0;
  // `done` comes once, on `loop`, never from inside start(). kBadFile: the file is broken or too much, in words that
  // end a sentence which begins with its name ("is not a PDF that can be read", "has more than 50 million pixels",
  // "took longer than 20 s"). kUnavailable: this host cannot read such files, with what to change.
  [[nodiscard]] virtual std::unique_ptr<Extraction> start(ExtractionJob job, Loop& loop,
                                                          UniqueFunction<void(Result<ExtractedText>)> done) = 0;
};

}  // namespace braidlog
