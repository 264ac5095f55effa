// The body of a message: so many bytes, or chunks. Written here and not left to a library because this is where
// requests are smuggled: every byte of the framing is checked, and nothing is taken that another parser could read
// otherwise.
//
//   body  := ( size [ ";" extension ] CRLF data CRLF )* "0"+ [ ";" extension ] CRLF ( trailer CRLF )* CRLF
//   size  := 1 to 8 hexadecimal digits
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace braidlog {

class BodyDecoder {
 public:
  enum class State { kMore, kEnd, kBad, kTooLarge };

  static BodyDecoder of_length(std::uint64_t length, std::size_t bytes_max);
  // Extensions and trailers are read over: nothing in them reaches the request.
  static BodyDecoder of_chunks(std::size_t bytes_max);

  // Appends to `body` and returns how many bytes it took: all of them while kMore, those up to the end at kEnd.
  std::size_t feed(std::string_view bytes, std::string& body);
  State state() const { return state_; }

  struct Joined {
    std::size_t taken = 0;  // as feed() says it
    std::string_view body;  // into the bytes given
  };
  // The same for bytes that may be written over: what of them is body is moved together, so that many small chunks
  // are one piece. A piece that stands alone is not moved.
  Joined join(std::span<char> bytes);

 private:
  enum class Part { kData, kSize, kExtension, kSizeLf, kDataCr, kDataLf, kTrailer, kTrailerLf };

  std::size_t take_data(std::string_view bytes, std::string& body);
  // How many of the bytes at hand are data of the part that is read; they are taken.
  std::size_t count_data(std::size_t bytes);
  // Between two chunks, the usual case in one step: the end of the one and a plain size of the next, all at hand. 0: it
  // is not that, and is read byte by byte.
  std::size_t skip_boundary(std::string_view bytes);
  void take_framing(char c, std::size_t body_bytes);
  void take_size(char c);
  void end_size(std::size_t body_bytes);
  void take_trailer(char c);
  void end_trailer();

  State state_ = State::kMore;
  Part part_ = Part::kSize;
  bool is_chunked_ = false;
  std::uint64_t remaining_ = 0;  // of the data at hand; while its size is read: the size so far
  std::size_t size_digits_ = 0;
  std::size_t line_bytes_ = 0;  // of the extension or trailer line
  std::size_t trailer_bytes_ = 0;
  std::size_t bytes_max_ = 0;
};

}  // namespace braidlog
