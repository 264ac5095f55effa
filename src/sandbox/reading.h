// What the server and the reader inside a sandbox (reader/reader.py) say to each other about one file, in the frames of
// messages.h. The reader's parsers may have been taken over by the file: what it sends is text for a model and one of a
// few complaints, and the words for people are made here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "port/text_extractor.h"

namespace braidlog::sandbox {

// Why a file was not read.
enum class Complaint {
  kUnreadable,  // broken, or something else than it seems
  kEncrypted,
  kPixels,
  kUnpacked,  // too large when it is unpacked
  kParts,     // too many of them
  kDeep,      // nested too deep
  kMemory,
  kTime,
  kPrograms,  // a program that it takes did not start: the host's fault, not the file's
};

struct ReaderMessage {
  enum class Kind { kReady, kText, kComplaint };
  Kind kind = Kind::kReady;
  ExtractedText text{};
  Complaint complaint = Complaint::kUnreadable;
};

// None: not one of ours. The text has no U+0000 and at most reading_text_bytes_max() bytes.
std::optional<ReaderMessage> parse_reader_message(std::string_view frame, const Limits& limits);

// A little more than a model is ever shown, so that who shows it sees that there was more.
std::size_t reading_text_bytes_max(const Limits& limits);
std::size_t reading_frame_bytes_max(const Limits& limits);

// The file's bytes follow it, as they are.
std::string reading_settings_frame(const ExtractionJob& file, const Limits& limits, std::string_view inner_filter);

// As TextExtractor promises: kBadFile with the end of a sentence that begins with the file's name, or kUnavailable.
Error error_of(Complaint complaint, const ExtractionJob& file, const Limits& limits);

}  // namespace braidlog::sandbox
