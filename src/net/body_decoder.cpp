#include "net/body_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/hex.h"

namespace braidlog {

namespace {

constexpr std::size_t kSizeDigitsMax = 8;
constexpr std::size_t kExtensionBytesMax = 256;
constexpr std::size_t kTrailerBytesMax = 4 * 1024;
// A length is only a promise: no more than this is set aside before bytes have come.
constexpr std::uint64_t kReserveBytesMax = 64 * 1024;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

BodyDecoder BodyDecoder::of_length(std::uint64_t length, std::size_t bytes_max) {
  BodyDecoder decoder;
  decoder.bytes_max_ = bytes_max;
  decoder.part_ = Part::kData;
  decoder.remaining_ = length;
  if (length == 0) decoder.state_ = State::kEnd;
  if (length > bytes_max) decoder.state_ = State::kTooLarge;
  return decoder;
}

BodyDecoder BodyDecoder::of_chunks(std::size_t bytes_max) {
  BodyDecoder decoder;
  decoder.bytes_max_ = bytes_max;
  decoder.is_chunked_ = true;
  return decoder;
}

std::size_t BodyDecoder::feed(std::string_view bytes, std::string& body) {
  std::size_t taken = 0;
  while (state_ == State::kMore && taken < bytes.size()) {
    if (part_ == Part::kData) {
      taken += take_data(bytes.substr(taken), body);
    } else {
      take_framing(bytes[taken++], body.size());
    }
  }
  return taken;
}

std::size_t BodyDecoder::take_data(std::string_view bytes, std::string& body) {
  if (body.empty()) body.reserve(static_cast<std::size_t>(std::min(remaining_, kReserveBytesMax)));
  const std::size_t count = count_data(bytes.size());
  body.append(bytes.substr(0, count));
  return count;
}

std::size_t BodyDecoder::count_data(std::size_t bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, remaining_));
  remaining_ -= count;
  if (remaining_ == 0) {
    if (is_chunked_) {
      part_ = Part::kDataCr;
    } else {
      state_ = State::kEnd;
    }
  }
  return count;
}

std::size_t BodyDecoder::skip_boundary(std::string_view bytes) {
  constexpr std::size_t kBytesMax = 2 + kSizeDigitsMax + 2;
  if (part_ != Part::kDataCr || bytes.size() < kBytesMax || bytes[0] != '\r' || bytes[1] != '\n') return 0;
  std::uint64_t size = 0;
  std::size_t at = 2;
  for (int digit = 0; at < 2 + kSizeDigitsMax && (digit = hex_value(bytes[at])) >= 0; ++at) {
    size = size * 16 + static_cast<unsigned>(digit);
  }
  if (bytes[at] != '\r' || bytes[at + 1] != '\n' || size == 0 || size > bytes_max_) return 0;
  part_ = Part::kData;
  remaining_ = size;
  return at + 2;
}

BodyDecoder::Joined BodyDecoder::join(std::span<char> bytes) {
  std::size_t taken = 0, begin = 0, size = 0;
  while (state_ == State::kMore && taken < bytes.size()) {
    if (part_ != Part::kData) {
      const std::size_t skipped = skip_boundary({&bytes[taken], bytes.size() - taken});
      taken += skipped;
      if (skipped == 0) take_framing(bytes[taken++], 0);
      continue;
    }
    const std::size_t count = count_data(bytes.size() - taken);
    if (size == 0) {
      begin = taken;
    } else {
      std::memmove(&bytes[begin + size], &bytes[taken], count);
    }
    size += count;
    taken += count;
  }
  return {taken, {bytes.data() + begin, size}};
}

void BodyDecoder::take_framing(char c, std::size_t body_bytes) {
  switch (part_) {
    case Part::kSize: return take_size(c);
    case Part::kExtension:
      if (c == '\r') {
        part_ = Part::kSizeLf;
      } else if (is_control(c) || ++line_bytes_ > kExtensionBytesMax) {
        state_ = State::kBad;
      }
      return;
    case Part::kSizeLf:
      if (c != '\n') {
        state_ = State::kBad;
      } else {
        end_size(body_bytes);
      }
      return;
    case Part::kDataCr:
    case Part::kDataLf:
      if (c != (part_ == Part::kDataCr ? '\r' : '\n')) {
        state_ = State::kBad;
        return;
      }
      part_ = part_ == Part::kDataCr ? Part::kDataLf : Part::kSize;
      return;
    case Part::kTrailer: return take_trailer(c);
    case Part::kTrailerLf:
      if (c != '\n') {
        state_ = State::kBad;
      } else {
        end_trailer();
      }
      return;
    case Part::kData: return;  // never: data is taken in pieces
  }
}

void BodyDecoder::take_size(char c) {
  if (const int digit = hex_value(c); digit >= 0) {
    if (++size_digits_ > kSizeDigitsMax) {
      state_ = State::kBad;
      return;
    }
    remaining_ = remaining_ * 16 + static_cast<unsigned>(digit);
    return;
  }
  line_bytes_ = 0;
  if (size_digits_ > 0 && c == ';') {
    part_ = Part::kExtension;
  } else if (size_digits_ > 0 && c == '\r') {
    part_ = Part::kSizeLf;
  } else {
    state_ = State::kBad;
  }
}

void BodyDecoder::end_size(std::size_t body_bytes) {
  size_digits_ = 0;
  line_bytes_ = 0;
  if (remaining_ == 0) {
    part_ = Part::kTrailer;
  } else if (remaining_ > bytes_max_ - std::min(bytes_max_, body_bytes)) {
    state_ = State::kTooLarge;
  } else {
    part_ = Part::kData;
  }
}

void BodyDecoder::take_trailer(char c) {
  if (c == '\r') {
    part_ = Part::kTrailerLf;
    return;
  }
  const bool is_folded = line_bytes_ == 0 && (c == ' ' || c == '\t');
  ++line_bytes_;
  if (is_folded || is_control(c) || ++trailer_bytes_ > kTrailerBytesMax) state_ = State::kBad;
}

void BodyDecoder::end_trailer() {
  if (line_bytes_ == 0) {
    state_ = State::kEnd;
  } else {
    line_bytes_ = 0;
    part_ = Part::kTrailer;
  }
}

}  // namespace braidlog
