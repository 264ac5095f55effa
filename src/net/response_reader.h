// Bytes to the answers of an HTTP/1.x server, one after the other on one connection. Heads are read where they lie and
// nothing of them is kept: who wants a header asks for it while the head is at hand. Bodies are handed on in pieces as
// large as the bytes allow.
//
// It is as strict about lengths and chunks as the reader of requests: an answer that is not clearly one thing is none.
// Of the lines of a head it forgives an end without CR, as every client does.
//
// Pure: no socket. What comes out does not depend on how the bytes were split, but for the sizes of the pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/body_decoder.h"
#include "net/http_client.h"

namespace braidlog {

class ResponseReader final : private ResponseHead {
 public:
  // Of all heads before a body, interim ones (1xx) included.
  static constexpr std::size_t kHeadBytesMax = 64 * 1024;

  enum class Step {
    kMore,      // all bytes are taken, and the answer goes on
    kHead,      // head() can be asked; interim heads are read over
    kPiece,     // piece() is a part of the body
    kComplete,  // the answer is over; what is left of the bytes is not its
    kBad,       // this is no HTTP, or none that can be understood
  };

  // The answer to the next request. To HEAD there is never a body.
  void begin(bool is_for_head);
  // Takes bytes from the front, and may write over those that it takes. Call it until it says anything but kHead and
  // kPiece.
  Step next(std::span<char>& bytes);

  // Valid until the next call of next(), as long as the bytes are.
  const ResponseHead& head() const { return *this; }
  std::string_view piece() const { return piece_; }

  // Whether a connection that is closed now ends this answer as it should.
  bool ends_with_close() const { return part_ == Part::kUntilClose; }
  // Once it is complete: whether another request may follow on the connection.
  bool keeps_connection() const { return keeps_connection_; }

 private:
  enum class Part { kHead, kBody, kUntilClose, kNoBody, kBad };
  // What a head says of the body that follows.
  struct Framing {
    std::optional<std::uint64_t> length;
    bool is_chunked = false;
  };

  int status() const override { return status_; }
  std::string_view header(const char* name) const override;

  Step read_head(std::span<char>& bytes);
  bool find_head(std::span<char>& bytes);
  bool parse_head();
  bool parse_status_line(std::string_view line);
  bool take_field(std::string_view name, std::string_view value, Framing& framing);
  void choose_part(const Framing& framing);
  Step read_body(std::span<char>& bytes);
  Step fail();

  Part part_ = Part::kHead;
  bool is_for_head_ = false;
  bool is_http_1_0_ = false;
  bool keeps_connection_ = false;
  int status_ = 0;
  std::size_t head_bytes_ = 0;  // of the heads so far
  std::string partial_;         // a head that came in more than one piece
  std::string_view head_;       // where the head at hand lies
  std::string_view piece_;
  BodyDecoder body_;
};

}  // namespace braidlog
