// Any bytes as what a tool was given or gave: what is shown of it is one JSON value on one line, not much larger than
// its limit, and nothing that was under a secret's name is in it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dialect/conversation/redact.h"

namespace {

using namespace braidlog;
using namespace braidlog::conversation;

void check_hidden(const json::value& value) {
  if (const auto* array = value.if_array()) {
    for (const auto& item : *array) check_hidden(item);
  }
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& field : *object) {
    // A cut can make a secret's word of half another one.
    const bool is_cut = std::string_view(field.key()).ends_with(" bytes]");
    const SecretName secret = is_cut ? SecretName::kNone : secret_name(field.key());
    if (secret == SecretName::kNone) {
      check_hidden(field.value());
      continue;
    }
    const auto& shown = field.value();
    const bool tells_nothing = shown.is_null() || shown.is_bool() || shown == json::value("[REDACTED]");
    BRAIDLOG_CHECK(tells_nothing || (secret == SecretName::kCount && shown.is_number()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kBytesMax = 256;
  std::string shown;
  append_safe_json(shown, bytes, kBytesMax);
  const std::string text = to_valid_utf8(bytes);
  std::string shown_text;
  append_safe_text(shown_text, text, kBytesMax);
  for (const std::string& each : {shown, shown_text}) {
    for (const char* line_end : {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
      BRAIDLOG_CHECK(each.find(line_end) == std::string::npos);
    }
    // One string of escapes and the closing of sixteen levels, each with its mark, after the limit was reached.
    BRAIDLOG_CHECK(each.size() < kBytesMax + 16 * 64 + 2 * (6 * kBytesMax + 64));
  }
  // A key that was cut may come twice; then it is no document to our reader, but still no secret.
  if (const auto value = parse_json(shown)) check_hidden(*value);
  const auto string = parse_json(shown_text);
  BRAIDLOG_CHECK(string.has_value() && string->is_string());
  return 0;
}
