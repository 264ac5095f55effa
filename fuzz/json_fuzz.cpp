// Any bytes as a JSON document from outside: what is accepted is written in our spelling, and that is accepted, equal,
// and stays as it is.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "event/encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = parse_json(text);
  if (!value) return 0;
  BRAIDLOG_CHECK(is_valid_utf8(text));
  const std::string ours = to_json(*value);
  BRAIDLOG_CHECK(is_valid_utf8(ours));
  BRAIDLOG_CHECK(ours.find('\n') == std::string::npos && ours.find("\xe2\x80\xa8") == std::string::npos);
  const auto again = parse_json(ours);
  BRAIDLOG_CHECK(again.has_value());
  BRAIDLOG_CHECK(to_json(*again) == ours);
  (void)event_from_json(*value);
  return 0;
}
