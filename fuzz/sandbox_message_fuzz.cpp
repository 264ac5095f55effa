// Any bytes as what comes out of a sandbox: frames in two pieces, each a message or nonsense; what is accepted is text
// that may be stored.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "sandbox/messages.h"
#include "sandbox/reading.h"

namespace {

std::vector<std::string> frames_of(std::string_view bytes, std::size_t cut) {
  braidlog::sandbox::FrameReader reader(4096);
  std::vector<std::string> frames;
  for (const auto piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    reader.append(piece);
    while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto frames = frames_of(bytes, size / 2);
  BRAIDLOG_CHECK(frames == frames_of(bytes, size));
  for (const auto& frame : frames) {
    if (const auto read = sandbox::parse_reader_message(frame, Limits{})) {
      for (const auto& text : {read->text.text, read->text.left_out}) {
        BRAIDLOG_CHECK(is_valid_utf8(text) && text.find('\0') == std::string::npos);
      }
    }
    const auto message = sandbox::parse_message(frame);
    if (!message) continue;
    BRAIDLOG_CHECK(is_valid_utf8(message->name));
    for (const auto& text : {message->value, message->error}) BRAIDLOG_CHECK(!text || is_valid_utf8(*text));
    if (message->final) BRAIDLOG_CHECK(is_valid_utf8(to_json(*message->final)));
  }
  return 0;
}
