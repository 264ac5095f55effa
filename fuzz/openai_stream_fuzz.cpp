// The stream of an OpenAI-compatible server, of any bytes: nothing crashes, the sink's contract holds, what is handed
// on is UTF-8, and none of it depends on where the stream is cut.
//
//   input := seed-byte stream-bytes        the seed decides where the bytes are cut
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checking_sink.h"
#include "provider/openai/chat_reader.h"
#include "wire/sse.h"

namespace braidlog::provider {
namespace {

constexpr std::size_t kLineBytesMax = 64 * 1024;

std::string read(std::string_view bytes, std::size_t piece) {
  static ChunkParser parser;
  CheckingSink sink;
  const auto reader = make_chat_reader(sink, {{"openai", "http://a/v1"}, true}, parser);
  SseReader events(kLineBytesMax);
  std::string fault;
  bool is_over = false;
  const auto take = [&](const SseView& event) {
    const auto taken = reader->take(event);
    if (!taken) fault = taken.error().error.message;
    is_over = !taken || *taken != AnswerReader::Taken::kMore;
    return !is_over;
  };
  for (std::size_t at = 0; at < bytes.size() && !is_over && fault.empty(); at += piece) {
    if (!events.feed(bytes.substr(at, piece), take)) fault = "over the cap";
    reader->end_read();
  }
  const auto finish = reader->finish();
  std::string end = finish ? finish->raw_reason + finish->response_id : finish.error().error.message;
  for (const auto& blob : finish ? finish->opaque : std::vector<std::string>{}) {
    BRAIDLOG_CHECK(is_valid_utf8(blob));
    end += blob;
  }
  return sink.seen() + fault + end;
}

}  // namespace
}  // namespace braidlog::provider

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  using braidlog::provider::read;
  BRAIDLOG_CHECK(read(bytes, bytes.size()) == read(bytes, 1 + data[0] % 16U));
  return 0;
}
