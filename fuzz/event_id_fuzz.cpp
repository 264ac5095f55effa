// Any bytes as a resume id: what is read is written again as the same id, and is never longer than an id can be.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dialect/event_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto id = parse_event_id(text);
  if (!id) return 0;
  BRAIDLOG_CHECK(text.size() <= kEventIdBytesMax);
  std::string again;
  append_event_id(again, *id);
  BRAIDLOG_CHECK(again.size() == text.size());
  BRAIDLOG_CHECK(parse_event_id(again) == id);
  return 0;
}
