#include "provider/lone_surrogates.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace braidlog::provider {

namespace {

constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

// The unit of the escape that begins at `at`; -1 when there is none.
int unit_at(std::string_view json, std::size_t at) {
  if (at + kEscapeBytes > json.size() || json[at] != '\\' || json[at + 1] != 'u') return -1;
  int unit = -1;
  const char* const begin = json.data() + at + 2;
  const auto [end, error] = std::from_chars(begin, begin + 4, unit, 16);
  return error == std::errc() && end == begin + 4 ? unit : -1;
}

bool is_high(int unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low(int unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

std::string escaped(int unit) {
  return fmt::format("\\u{:04x}", unit);
}

}  // namespace

std::optional<std::string> without_lone_surrogates(std::string_view json, HalfCharacter& half) {
  std::string out;
  std::size_t copied = 0;
  const auto replace = [&](std::size_t at, const std::string& with) {
    out += json.substr(copied, at - copied);
    out += with;
    copied = at + kEscapeBytes;
  };
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const int unit = unit_at(json, at);
    if (is_high(unit) && is_low(unit_at(json, at + kEscapeBytes))) {
      at += 2 * kEscapeBytes;
    } else if (is_high(unit) && json.substr(at + kEscapeBytes).starts_with('"')) {
      replace(at, "");
      half.unit = unit;
      at += kEscapeBytes;
    } else if (is_low(unit) && half.unit != 0 && at > 0 && json[at - 1] == '"') {
      replace(at, escaped(std::exchange(half.unit, 0)) + escaped(unit));
      at += kEscapeBytes;
    } else if (is_high(unit) || is_low(unit)) {
      replace(at, "\\ufffd");
      at += kEscapeBytes;
    } else {
      at += 2;
    }
  }
  if (copied == 0) return std::nullopt;
  return out.append(json.substr(copied));
}

}  // namespace braidlog::provider
