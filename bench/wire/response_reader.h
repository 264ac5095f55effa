// Takes the bytes of HTTP/1.1 responses as they come, one response after the other, and gives out the bodies without
// copying them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

class ResponseReader {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void on_body(std::string_view piece) = 0;
    // The response is complete. What a sink sends now is answered by the next response.
    virtual void on_end() = 0;
  };

  explicit ResponseReader(Sink& sink) : sink_(sink) {}

  // False when this is no HTTP response that it understands: nothing after that makes sense.
  [[nodiscard]] bool feed(std::string_view bytes);

  // For the first response of another connection.
  void reset();

  // Of the response whose body is coming.
  int status() const { return status_; }

 private:
  enum class State { kHead, kBody, kChunkSize, kChunk, kChunkEnd, kTrailer };

  bool take_head(std::string_view& bytes);
  bool take_line(std::string_view& bytes);  // into line_; false when its end has not come yet
  bool take_chunk_size();
  void take_body(std::string_view& bytes);
  void end();

  Sink& sink_;
  State state_ = State::kHead;
  int status_ = 0;
  std::size_t left_ = 0;  // of the body or the chunk
  std::string head_;      // a head that came in pieces
  std::string line_;      // likewise a line between chunks, without its end
  bool line_is_whole_ = false;
};

}  // namespace bench
