// Event streams of any bytes: nothing crashes, and the events do not depend on where the stream is cut.
//
//   input := seed-byte stream-bytes        the seed decides where the bytes are cut
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "wire/sse.h"

namespace braidlog {
namespace {

constexpr std::size_t kLineBytesMax = 64;

std::string read(std::string_view bytes, std::size_t piece) {
  SseReader reader(kLineBytesMax);
  std::string out;
  const auto sink = [&](SseEvent&& event) {
    BRAIDLOG_CHECK(event.data.size() <= kLineBytesMax);
    BRAIDLOG_CHECK(!event.type.empty());
    out += event.type + '\x1f' + event.data + '\x1f' + event.last_id + '\x1e';
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!reader.feed(bytes.substr(at, piece), sink)) return out + "over the cap";
  }
  return out;
}

}  // namespace
}  // namespace braidlog

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  BRAIDLOG_CHECK(braidlog::read(bytes, bytes.size()) == braidlog::read(bytes, 1 + data[0] % 16U));
  return 0;
}
