// The stream of a server that speaks Anthropic's messages, of any bytes: nothing crashes, the sink's contract holds,
// what is handed on is UTF-8, what is kept to be sent back makes a body that is JSON, and none of it depends on where
// the stream is cut.
//
//   input := seed-byte stream-bytes        the seed decides where the bytes are cut
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checking_sink.h"
#include "provider/anthropic/messages_reader.h"
#include "wire/sse.h"

namespace braidlog::provider {
namespace {

constexpr std::size_t kLineBytesMax = 64 * 1024;
const MessagesSettings kSettings{.model = "m", .max_tokens = 1, .owner = {"anthropic", "http://a"}};

// Deeper than what we take from outside: blocks stand a few levels down in what we send.
bool is_json(const std::string& text) {
  boost::system::error_code error;
  json::parse(text, error, {}, {.max_depth = 64});
  return !error;
}

std::string read(std::string_view bytes, std::size_t piece) {
  static MessageEventParser parser;
  CheckingSink sink;
  const auto reader = make_messages_reader(sink, kSettings, R"({"messages":[{}]})", parser);
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
  const auto next = reader->next_body();
  BRAIDLOG_CHECK(!next || is_json(*next));
  const auto finish = reader->finish();
  std::string end = finish ? finish->raw_reason + finish->response_id : finish.error().error.message;
  if (finish) {
    ModelRequest request;
    request.messages.push_back({.role = ModelMessage::Role::kAssistant, .text = "Ü", .opaque = finish->opaque});
    end += messages_request(kSettings, request);
  }
  return sink.seen() + fault + next.value_or("") + end;
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
