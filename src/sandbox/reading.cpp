#include "sandbox/reading.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/utf8.h"
#include "sandbox/file_readers.h"
#include "sandbox/limit_words.h"
#include "sandbox/messages.h"

namespace braidlog::sandbox {

namespace {

constexpr std::size_t kLeftOutBytesMax = 500;

constexpr std::pair<std::string_view, Complaint> kComplaints[] = {
    {"unreadable", Complaint::kUnreadable}, {"encrypted", Complaint::kEncrypted}, {"pixels", Complaint::kPixels},
    {"unpacked", Complaint::kUnpacked},     {"parts", Complaint::kParts},         {"deep", Complaint::kDeep},
    {"memory", Complaint::kMemory},         {"time", Complaint::kTime},           {"programs", Complaint::kPrograms},
};

const json::string* text_in(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  return found ? found->if_string() : nullptr;
}

// No U+0000, which some stores and most terminals take for an end.
std::string clean(std::string_view text, std::size_t bytes_max) {
  std::string out = to_valid_utf8(text);
  std::erase(out, '\0');
  out.resize(utf8_prefix(out, bytes_max).size());
  return out;
}

std::string pixels_in_words(std::size_t pixels) {
  constexpr std::size_t kMillion = 1'000'000;
  return pixels % kMillion == 0 ? std::to_string(pixels / kMillion) + " million" : std::to_string(pixels);
}

}  // namespace

std::optional<ReaderMessage> parse_reader_message(std::string_view frame, const Limits& limits) {
  const auto parsed = parse_json(frame);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  const auto* op = object ? text_in(*object, "op") : nullptr;
  if (!op) return std::nullopt;
  if (*op == "ready") return ReaderMessage{};
  if (*op == "text") {
    const auto* text = text_in(*object, "text");
    const auto* left_out = text_in(*object, "left_out");
    if (!text || !left_out) return std::nullopt;
    return ReaderMessage{
        .kind = ReaderMessage::Kind::kText,
        .text = {.text = clean(*text, reading_text_bytes_max(limits)), .left_out = clean(*left_out, kLeftOutBytesMax)}};
  }
  const auto* why = *op == "complaint" ? text_in(*object, "why") : nullptr;
  if (!why) return std::nullopt;
  for (const auto& [name, complaint] : kComplaints) {
    if (*why == name) return ReaderMessage{.kind = ReaderMessage::Kind::kComplaint, .complaint = complaint};
  }
  return std::nullopt;
}

std::size_t reading_text_bytes_max(const Limits& limits) {
  return 4 * limits.attachment_text_bytes_max;
}

std::size_t reading_frame_bytes_max(const Limits& limits) {
  // Quotes and line ends are written as two bytes; the reader leaves nothing in that would take more.
  return 64 * 1024 + 2 * reading_text_bytes_max(limits);
}

std::string reading_settings_frame(const ExtractionJob& file, const Limits& limits, std::string_view inner_filter) {
  std::string json;
  JsonWriter w(json);
  w.begin_object().key("media_type").string(to_valid_utf8(file.media_type)).key("bytes").number(file.content.size());
  w.key("text_bytes").number(reading_text_bytes_max(limits));
  w.key("unpacked_bytes").number(limits.extraction_unpacked_bytes_max);
  w.key("pixels").number(limits.extraction_pixels_max);
  w.key("pages").number(limits.extraction_pages_max);
  w.key("ocr_pages").number(limits.extraction_ocr_pages_max);
  w.key("time_ms").number(file.time_max.count());
  w.key("threads").number(1).key("filter").string(hex_of(inner_filter)).end_object();
  return frame_of(json);
}

Error error_of(Complaint complaint, const ExtractionJob& file, const Limits& limits) {
  const auto* reader = find_file_reader(file.media_type);
  const std::string what = reader ? std::string(reader->what) : "a file";
  const auto bad = [](std::string words) { return Error{ErrorCode::kBadFile, std::move(words), {}}; };
  switch (complaint) {
    case Complaint::kUnreadable: return bad("is not " + what + " that can be read");
    case Complaint::kEncrypted: return bad("is protected by a password");
    case Complaint::kPixels: return bad("has more than " + pixels_in_words(limits.extraction_pixels_max) + " pixels");
    case Complaint::kUnpacked:
      return bad("unpacks to more than " + bytes_in_words(limits.extraction_unpacked_bytes_max));
    case Complaint::kParts: return bad("has too many parts to be read");
    case Complaint::kDeep: return bad("is nested too deep to be read");
    case Complaint::kMemory:
      return bad("needs more than " + bytes_in_words(limits.extraction_memory_bytes_max) + " of memory to be read");
    case Complaint::kTime: return bad("took longer than " + time_in_words(file.time_max) + " to be read");
    case Complaint::kPrograms:
      return {ErrorCode::kUnavailable,
              "a program that reads " + what + " did not start; the packages are " +
                  (reader ? std::string(reader->packages) : std::string("python3")),
              {}};
  }
  return bad("cannot be read");
}

}  // namespace braidlog::sandbox
