#include "dialect/files/image_header.h"

#include <algorithm>
#include <cstddef>

namespace braidlog::files {

namespace {

// Reads numbers, and knows whether all of them were there.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t big(std::size_t place, std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < size; ++i) out = out << 8 | at(place + i);
    return out;
  }
  std::uint64_t little(std::size_t place, std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8 | at(place + i);
    return out;
  }
  unsigned char at(std::size_t place) {
    if (place < bytes_.size()) return static_cast<unsigned char>(bytes_[place]);
    complete_ = false;
    return 0;
  }
  std::string_view part(std::size_t place, std::size_t size) const {
    return place < bytes_.size() ? bytes_.substr(place, size) : std::string_view{};
  }
  bool complete() const { return complete_; }

 private:
  std::string_view bytes_;
  bool complete_ = true;
};

ImageSize png_size(Bytes& bytes) {
  if (bytes.part(12, 4) != "IHDR") return {};
  return {bytes.big(16, 4), bytes.big(20, 4)};
}

// Segments with a marker and a length, up to the first that begins a picture.
ImageSize jpeg_size(Bytes& bytes) {
  std::size_t place = 2;
  while (bytes.complete()) {
    // What stands between two segments.
    while (bytes.complete() && (bytes.at(place) != 0xff || bytes.at(place + 1) == 0xff || bytes.at(place + 1) == 0)) {
      ++place;
    }
    const unsigned char marker = bytes.at(place + 1);
    const bool is_picture = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_picture) return {bytes.big(place + 7, 2), bytes.big(place + 5, 2)};
    const bool is_alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    place += is_alone ? 2 : 2 + bytes.big(place + 2, 2);
  }
  return {};
}

std::size_t gif_colors_bytes(unsigned char flags) {
  return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

ImageSize gif_size(Bytes& bytes) {
  std::size_t place = 13 + gif_colors_bytes(bytes.at(10));
  while (bytes.complete() && bytes.at(place) == 0x21) {  // an extension: blocks with a length, up to an empty one
    place += 2;
    while (bytes.complete() && bytes.at(place) != 0) place += 1 + std::size_t{bytes.at(place)};
    ++place;
  }
  if (bytes.at(place) != 0x2c) return {};
  return {std::max(bytes.little(6, 2), bytes.little(place + 5, 2)),
          std::max(bytes.little(8, 2), bytes.little(place + 7, 2))};
}

ImageSize webp_size(Bytes& bytes) {
  constexpr std::size_t kChunk = 20;  // after RIFF, its size, WEBP, and the first chunk's kind and size
  const auto kind = bytes.part(12, 4);
  if (kind == "VP8X") return {bytes.little(kChunk + 4, 3) + 1, bytes.little(kChunk + 7, 3) + 1};
  if (kind == "VP8 ") return {bytes.little(kChunk + 6, 2) & 0x3fff, bytes.little(kChunk + 8, 2) & 0x3fff};
  if (kind != "VP8L") return {};
  const auto bits = bytes.little(kChunk + 1, 4);
  return {(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1};
}

}  // namespace

std::optional<ImageSize> image_size(std::string_view media_type, std::string_view content) {
  Bytes bytes(content);
  ImageSize size;
  if (media_type == "image/png") size = png_size(bytes);
  if (media_type == "image/jpeg") size = jpeg_size(bytes);
  if (media_type == "image/gif") size = gif_size(bytes);
  if (media_type == "image/webp") size = webp_size(bytes);
  if (!bytes.complete() || size.width == 0 || size.height == 0) return std::nullopt;
  return size;
}

}  // namespace braidlog::files
