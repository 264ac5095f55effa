// Files of any bytes as the server looks at them before anybody opens them: nothing crashes, an archive's names lie
// inside of it, and what is wrong with a file is said only of a type that is known.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/limits.h"
#include "dialect/files/file_type.h"
#include "dialect/files/image_header.h"
#include "dialect/files/zip_directory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  using namespace braidlog::files;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto directory = read_zip_directory(input)) {
    BRAIDLOG_CHECK(directory->entries.size() <= kZipEntriesMax);
    for (const auto& entry : directory->entries) {
      BRAIDLOG_CHECK(entry.name.data() >= input.data());
      BRAIDLOG_CHECK(entry.name.data() + entry.name.size() <= input.data() + input.size());
      BRAIDLOG_CHECK(entry.unpacked_bytes <= directory->unpacked_bytes);
    }
  }
  for (const auto type : {"image/png", "image/jpeg", "image/gif", "image/webp"}) {
    const auto found = image_size(type, input);
    BRAIDLOG_CHECK(!found || (found->width > 0 && found->height > 0));
  }
  const auto type = binary_type(input);
  if (type.media_type.empty()) return 0;
  BRAIDLOG_CHECK(!type.extension.empty() && !type.what.empty());
  const auto damage = damage_of(type, input, Limits{});
  BRAIDLOG_CHECK(!damage || !damage->empty());
  return 0;
}
