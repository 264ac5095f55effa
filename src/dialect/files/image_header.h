// The size of an image as its first bytes tell it, so that nobody has to unpack an image to learn that it is too large.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braidlog::files {

struct ImageSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

// `media_type` is image/png, image/jpeg, image/gif or image/webp. None: it is no such image, or one without pixels.
// Of a GIF it is the larger of its screen and its first picture, each way.
std::optional<ImageSize> image_size(std::string_view media_type, std::string_view content);

}  // namespace braidlog::files
