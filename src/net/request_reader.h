// Bytes to one HTTP/1.x request, strictly. The head goes through three sieves: HeadScanner for the lines, Beast's
// parser for the fields, and the rules of framing (one Host, one length, no length beside chunks) here. A request
// that is not clearly one thing is refused, and after a refusal no byte of the connection is read as a request.
//
// Pure: no socket. What comes out does not depend on how the bytes were split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/body_decoder.h"
#include "net/head_scanner.h"
#include "wire/http.h"

namespace braidlog {

class RequestReader {
 public:
  enum class State {
    kHead,
    kHeadComplete,  // the head can be read; accept_body() goes on
    kBody,
    kComplete,
    kFailed,  // see failure_status()
  };

  explicit RequestReader(std::size_t header_bytes_max) : header_bytes_max_(header_bytes_max) {}

  // Takes bytes from the front and returns how many: up to the end of the head, then up to the end of the request.
  std::size_t feed(std::string_view bytes);
  // At kHeadComplete: goes on to the body, of at most `bytes_max`; at once to kComplete where there is none, or to
  // kFailed where its length is over.
  void accept_body(std::size_t bytes_max);

  State state() const { return state_; }
  int failure_status() const { return failure_status_; }  // 400, 413 or 431
  // As far as it was read. After a failure: method and target, if there was a request line.
  HttpRequest& request() { return request_; }

  // ---- from kHeadComplete on ----
  bool has_body() const { return is_chunked_ || content_length_.value_or(0) > 0; }
  std::optional<std::uint64_t> content_length() const { return content_length_; }
  bool keep_alive() const { return keep_alive_; }
  bool is_http_1_0() const { return is_http_1_0_; }
  bool expects_continue() const { return expects_continue_; }

 private:
  std::size_t feed_head(std::string_view bytes);
  bool take_request_line(std::string_view line);
  bool parse_head();
  bool take_framing();
  bool take_host();
  bool take_target();
  void fail(int status);

  std::size_t header_bytes_max_;
  State state_ = State::kHead;
  int failure_status_ = 0;
  HeadScanner scanner_;
  std::string head_;  // the bytes of the head, until it is parsed
  HttpRequest request_;
  std::optional<std::uint64_t> content_length_;
  bool is_chunked_ = false, keep_alive_ = false, is_http_1_0_ = false, expects_continue_ = false;
  BodyDecoder body_ = BodyDecoder::of_length(0, 0);
};

}  // namespace braidlog
