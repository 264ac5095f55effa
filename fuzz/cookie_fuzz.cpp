// A Cookie header of any bytes: nothing crashes, each value is a piece of the header that stands behind its name, and
// what we set ourselves is found again. The same bytes are tried as an address and as a network.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "wire/cookie.h"
#include "wire/ip_address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const auto name : {kSessionCookie, kSecureSessionCookie}) {
    for (const auto value : cookie_values(input, name)) {
      BRAIDLOG_CHECK(value.find(';') == std::string_view::npos);
      BRAIDLOG_CHECK(value.empty() || (value.data() >= input.data() && value.size() <= size));
    }
  }
  const std::string before = std::string(input) + "; session=TOKEN";
  BRAIDLOG_CHECK(cookie_values(before, kSessionCookie).back() == "TOKEN");

  if (const auto address = IpAddress::parse_with_port(input)) {
    BRAIDLOG_CHECK(IpAddress::parse(address->text()) == address);
  }
  if (const auto network = IpNetwork::parse(input)) {
    const auto base = IpAddress::parse(input.substr(0, input.find('/')));
    BRAIDLOG_CHECK(base && network->contains(*base));
  }
  return 0;
}
