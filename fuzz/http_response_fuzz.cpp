// Answers of any bytes in any pieces: nothing crashes, and what comes out does not depend on the pieces.
//
//   input := seed-byte response-bytes      the seed decides where the bytes are cut, and its lowest bit is for HEAD
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/response_reader.h"

namespace braidlog {
namespace {

using Step = ResponseReader::Step;

// Everything that an answer says, as one text. Pieces have up to `piece_bytes_max` bytes.
std::string read(std::string bytes, bool is_for_head, std::uint32_t seed, std::size_t piece_bytes_max) {
  ResponseReader reader;
  reader.begin(is_for_head);
  std::string heads, body;
  std::size_t at = 0, left = 0;
  Step step = Step::kMore;
  while (at < bytes.size() && step == Step::kMore) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t size = std::min(1 + (seed >> 8) % piece_bytes_max, bytes.size() - at);
    std::span<char> piece = std::span(bytes).subspan(at, size);
    at += size;
    while ((step = reader.next(piece)) == Step::kHead || step == Step::kPiece) {
      if (step == Step::kPiece) {
        BRAIDLOG_CHECK(heads.size() > 0 && !reader.piece().empty());
        body += reader.piece();
        continue;
      }
      BRAIDLOG_CHECK(heads.empty());
      BRAIDLOG_CHECK(reader.head().status() >= 200 && reader.head().status() <= 999);
      const auto type = reader.head().header("content-type");
      BRAIDLOG_CHECK(type.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos);
      heads = std::to_string(reader.head().status()) + ' ' + std::string(type);
    }
    BRAIDLOG_CHECK(step != Step::kMore || piece.empty());
    left = piece.size() + bytes.size() - at;
  }
  std::string out = std::to_string(static_cast<int>(step)) + ' ' + (reader.ends_with_close() ? "open " : "");
  // What is left of nonsense, or of the connection after it, does not matter.
  if (step == Step::kComplete) out += std::to_string(left) + ' ' + (reader.keeps_connection() ? "keep " : "close ");
  return out + heads + '\n' + body;
}

void check_response(const std::string& bytes, std::uint32_t seed) {
  const bool is_for_head = (seed & 1) != 0;
  const std::string whole = read(bytes, is_for_head, 0, 1 + bytes.size() * 256);
  BRAIDLOG_CHECK(whole == read(bytes, is_for_head, seed, 16));
  BRAIDLOG_CHECK(whole == read(bytes, is_for_head, seed, 1));
}

}  // namespace
}  // namespace braidlog

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  braidlog::check_response({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  return 0;
}
