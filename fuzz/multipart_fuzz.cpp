// Multipart bodies of any bytes: nothing crashes, and the parts lie inside the body, in order.
//
//   input := content-type LF body
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "wire/multipart.h"

namespace braidlog {
namespace {

void check_multipart(std::string_view content_type, std::string_view body) {
  constexpr std::size_t kPartsMax = 8;
  const auto parts = parse_multipart(content_type, body, kPartsMax);
  if (!parts) {
    BRAIDLOG_CHECK(parts.error().code == ErrorCode::kMalformed);
    return;
  }
  BRAIDLOG_CHECK(parts->size() <= kPartsMax);
  const char* last_end = body.data();
  for (const auto& part : *parts) {
    BRAIDLOG_CHECK(part.content.data() >= last_end);
    last_end = part.content.data() + part.content.size();
    BRAIDLOG_CHECK(last_end <= body.data() + body.size());
    BRAIDLOG_CHECK(is_valid_utf8(part.name));
    BRAIDLOG_CHECK(!part.filename || is_valid_utf8(*part.filename));
    BRAIDLOG_CHECK(is_valid_utf8(part.content_type));
  }
}

}  // namespace
}  // namespace braidlog

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto line_end = input.find('\n');
  if (line_end == std::string_view::npos) return 0;
  braidlog::check_multipart(input.substr(0, line_end), input.substr(line_end + 1));
  return 0;
}
