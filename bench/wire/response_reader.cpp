#include "wire/response_reader.h"

#include <algorithm>
#include <charconv>

#include "wire/http_head.h"

namespace bench {

namespace {

constexpr std::size_t kHeadBytesMax = 16 * 1024;
constexpr std::size_t kStatusOffset = sizeof("HTTP/1.1 ") - 1;

}  // namespace

bool ResponseReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::kHead:
        if (!take_head(bytes)) return false;
        break;
      case State::kBody:
      case State::kChunk: take_body(bytes); break;
      case State::kChunkSize:
        if (take_line(bytes) && !take_chunk_size()) return false;
        break;
      case State::kChunkEnd:
        if (take_line(bytes)) state_ = State::kChunkSize;
        break;
      case State::kTrailer:
        if (take_line(bytes) && line_.empty()) end();
        break;
    }
  }
  return true;
}

void ResponseReader::reset() {
  state_ = State::kHead;
  head_.clear();
  line_.clear();
}

bool ResponseReader::take_head(std::string_view& bytes) {
  // Heads come in one piece nearly always; only then there is nothing to keep.
  const std::size_t kept = head_.size();
  if (kept != 0) head_.append(bytes);
  const auto head = parse_head(kept != 0 ? std::string_view(head_) : bytes);
  if (!head) {
    if (kept == 0) head_ = bytes;
    bytes = {};
    return head_.size() <= kHeadBytesMax;
  }
  if (head->first_line.size() < kStatusOffset) return false;
  const char* status = head->first_line.data() + kStatusOffset;
  if (std::from_chars(status, head->first_line.data() + head->first_line.size(), status_).ec != std::errc())
    return false;
  left_ = head->body_bytes;
  state_ = head->chunked ? State::kChunkSize : State::kBody;
  bytes.remove_prefix(head->head_bytes - kept);
  head_.clear();
  if (state_ == State::kBody && left_ == 0) end();
  return true;
}

bool ResponseReader::take_line(std::string_view& bytes) {
  if (line_is_whole_) line_.clear();
  const std::size_t end = bytes.find('\n');
  line_is_whole_ = end != std::string_view::npos;
  line_.append(bytes.substr(0, end));
  bytes.remove_prefix(line_is_whole_ ? end + 1 : bytes.size());
  if (line_is_whole_ && line_.ends_with('\r')) line_.pop_back();
  return line_is_whole_;
}

bool ResponseReader::take_chunk_size() {
  if (std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16).ec != std::errc()) return false;
  state_ = left_ == 0 ? State::kTrailer : State::kChunk;
  return true;
}

void ResponseReader::take_body(std::string_view& bytes) {
  const std::string_view piece = bytes.substr(0, std::min(left_, bytes.size()));
  bytes.remove_prefix(piece.size());
  left_ -= piece.size();
  sink_.on_body(piece);
  if (left_ != 0) return;
  if (state_ == State::kChunk) {
    state_ = State::kChunkEnd;
  } else {
    end();
  }
}

void ResponseReader::end() {
  state_ = State::kHead;
  sink_.on_end();
}

}  // namespace bench
