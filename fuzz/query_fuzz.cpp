// A request target of any bytes: nothing crashes, a path has no query in it, and every parameter of a query that counts
// as valid is UTF-8 without NUL.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "wire/http.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  HttpRequest request;
  request.target.assign(reinterpret_cast<const char*>(data), size);
  split_target(request);
  BRAIDLOG_CHECK(request.target.starts_with(request.path));
  BRAIDLOG_CHECK(request.path.find('?') == std::string::npos);
  for (const auto& [name, value] : request.query) {
    if (!request.query_is_valid) continue;
    for (const std::string_view text : {std::string_view(name), std::string_view(value)}) {
      BRAIDLOG_CHECK(is_valid_utf8(text));
      BRAIDLOG_CHECK(text.find('\0') == std::string_view::npos);
    }
    BRAIDLOG_CHECK(request.parameter(name).has_value());
  }
  return 0;
}
