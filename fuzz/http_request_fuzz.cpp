// Requests of any bytes in any pieces: nothing crashes, and what comes out does not depend on the pieces.
//
//   input := seed-byte request-bytes       the seed decides where the bytes are cut
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/request_reader.h"

namespace braidlog {
namespace {

using State = RequestReader::State;

bool is_over(const RequestReader& reader) {
  return reader.state() == State::kComplete || reader.state() == State::kFailed;
}

// Everything that a request decides about what happens next, as one text.
std::string read(std::string_view bytes, std::uint32_t seed) {
  RequestReader reader(512);
  std::size_t at = 0;
  while (at < bytes.size() && !is_over(reader)) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t size = 1 + (seed >> 24) % 16;
    std::string_view piece = bytes.substr(at, size);
    while (!piece.empty() && !is_over(reader)) {
      const std::size_t taken = reader.feed(piece);
      BRAIDLOG_CHECK(taken <= piece.size());
      BRAIDLOG_CHECK(taken > 0 || is_over(reader));
      piece.remove_prefix(taken);
      at += taken;
      if (reader.state() == State::kHeadComplete) reader.accept_body(256);
    }
  }
  const HttpRequest& request = reader.request();
  BRAIDLOG_CHECK(request.body.size() <= 256);
  std::string out = std::to_string(static_cast<int>(reader.state())) + ' ' + std::to_string(reader.failure_status()) +
                    ' ' + std::to_string(at) + ' ' + (reader.keep_alive() ? "keep " : "close ");
  out += std::string(name_of(request.method)) + ' ' + request.target + '\n';
  for (const auto& header : request.headers) out += header.name + ": " + header.value + '\n';
  return reader.state() == State::kComplete ? out + '\n' + request.body : out;
}

void check_request(std::string_view bytes, std::uint32_t seed) {
  const std::string split = read(bytes, seed);
  // A single piece: one call of feed() per part of the request.
  RequestReader whole(512);
  std::size_t at = 0;
  while (at < bytes.size() && !is_over(whole)) {
    at += whole.feed(bytes.substr(at));
    if (whole.state() == State::kHeadComplete) {
      // The promises that the layers above rely on.
      const HttpRequest& request = whole.request();
      BRAIDLOG_CHECK(!request.target.empty() && (request.target[0] == '/' || request.target == "*"));
      BRAIDLOG_CHECK(request.target.find_first_of(std::string_view("\0\r\n\t ", 5)) == std::string::npos);
      const auto hosts = std::count_if(request.headers.begin(), request.headers.end(), [](const HttpHeader& header) {
        return equals_ignoring_case(header.name, "host");
      });
      BRAIDLOG_CHECK(hosts == 1 || (hosts == 0 && whole.is_http_1_0()));
      for (const auto& header : request.headers) {
        BRAIDLOG_CHECK(header.value.find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos);
      }
      whole.accept_body(256);
    }
  }
  BRAIDLOG_CHECK(split.starts_with(std::to_string(static_cast<int>(whole.state())) + ' ' +
                                   std::to_string(whole.failure_status()) + ' ' + std::to_string(at) + ' '));
  BRAIDLOG_CHECK(split == read(bytes, seed ^ 0x9e3779b9U));
}

}  // namespace
}  // namespace braidlog

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  braidlog::check_request({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  return 0;
}
