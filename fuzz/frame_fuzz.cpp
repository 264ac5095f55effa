// Any bytes as what a model says: the frame is read back as exactly one event with exactly this text, and nothing in
// it can begin another line, in the standard's eyes or in those of clients that split on Unicode line ends.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dialect/event_id.h"
#include "dialect/runs/projection.h"
#include "wire/sse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string text = to_valid_utf8({reinterpret_cast<const char*>(data), size});
  const RunId run_id = *RunId::parse("run_01KHF0000070008000000000R1");
  runs::RunsProjection projection(run_id, 64 * 1024);
  Frames frames;
  projection.project({{1}, {1'771'102'980'000}, 1, TextDelta{1, 1, text}}, frames);
  if (text.empty()) {
    BRAIDLOG_CHECK(frames.empty() && frames.bytes.empty());
    return 0;
  }
  for (const char* line_end : {"\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    BRAIDLOG_CHECK(frames.bytes.find(line_end) == std::string::npos);
  }
  std::vector<SseEvent> events;
  SseReader reader(frames.bytes.size());
  BRAIDLOG_CHECK(reader.feed(frames.bytes, [&](SseEvent&& event) { events.push_back(std::move(event)); }));
  BRAIDLOG_CHECK(events.size() == 1);
  BRAIDLOG_CHECK(events[0].type == "assistant_delta");
  const auto id = parse_event_id(events[0].last_id);
  BRAIDLOG_CHECK(id && id->run_id == run_id && id->sequence.value == 1);
  const auto json = parse_json(events[0].data);
  BRAIDLOG_CHECK(json.has_value());
  const auto& read = json->get_object().at("payload").get_object().at("text").get_string();
  BRAIDLOG_CHECK(std::string_view(read) == text);
  return 0;
}
