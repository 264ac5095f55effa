// The stream of an OpenAI-compatible server, of any bytes: nothing crashes, the sink's contract holds, what is handed
// on is UTF-8, and none of it depends on where the stream is cut.
//
//   input := seed-byte stream-bytes        the seed decides where the bytes are cut
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "provider/openai/chat_answer.h"
#include "wire/sse.h"

namespace braidlog::provider {
namespace {

constexpr std::size_t kLineBytesMax = 64 * 1024;

class CheckingSink final : public ModelSink {
 public:
  void on_text(std::string_view delta) override { note("text", delta); }
  void on_reasoning(std::string_view delta) override { note("reasoning", delta); }
  void on_tool_call(unsigned slot, std::string_view id, std::string_view name) override {
    BRAIDLOG_CHECK(begun_.insert(slot).second);  // a name may come late, so slots need not begin in order
    BRAIDLOG_CHECK(is_valid_utf8(id) && !name.empty());
    note("call", name);
  }
  void on_tool_args(unsigned slot, std::string_view fragment) override {
    BRAIDLOG_CHECK(begun_.contains(slot));
    note("args", fragment);
  }
  void on_finished(ModelFinish) override {}
  void on_failed(Error) override {}

  std::string seen;

 private:
  void note(std::string_view what, std::string_view text) {
    BRAIDLOG_CHECK(!text.empty() && is_valid_utf8(text));
    seen.append(what).append("=").append(text).append("\n");
  }
  std::set<unsigned> begun_;
};

std::string read(std::string_view bytes, std::size_t piece) {
  static ChunkParser parser;
  CheckingSink sink;
  ChatAnswer answer(sink);
  SseReader reader(kLineBytesMax);
  std::string fault;
  const auto take = [&](const SseView& event) {
    const ChatChunk* chunk = parser.parse(event.data);
    if (chunk == nullptr) {
      fault = "no chunk";
    } else if (const auto taken = answer.take(*chunk); !taken) {
      fault = taken.error().message;
    }
    return fault.empty();
  };
  for (std::size_t at = 0; at < bytes.size() && fault.empty(); at += piece) {
    if (!reader.feed(bytes.substr(at, piece), take)) fault = "over the cap";
  }
  const auto finish = answer.finish();
  return sink.seen + fault + (finish ? finish->raw_reason + finish->response_id : finish.error().message);
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
