// Base64 of any bytes: nothing crashes, what is read has this one spelling, and the size is known before.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/base64.h"
#include "wire/testing/encode_base64.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = decode_base64(input)) {
    BRAIDLOG_CHECK(testing::encode_base64(*bytes) == input);
    BRAIDLOG_CHECK(base64_decoded_size(input) == bytes->size());
  }
  BRAIDLOG_CHECK(decode_base64(testing::encode_base64(input)) == input);
  return 0;
}
