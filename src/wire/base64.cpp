#include "wire/base64.h"

#include <array>
#include <cstdint>

namespace braidlog {

namespace {

constexpr std::uint8_t kNotOneOfOurs = 0x80;  // values have six bits

constexpr std::array<std::uint8_t, 256> make_values() {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> values{};
  values.fill(kNotOneOfOurs);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr auto kValues = make_values();

std::size_t padding_of(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

// 24 bits of four characters, or kNoGroup when one of them is of another alphabet.
constexpr std::uint32_t kNoGroup = 0xffffffff;
std::uint32_t group_of(char a, char b, char c, char d) {
  const auto value = [](char character) { return std::uint32_t{kValues[static_cast<unsigned char>(character)]}; };
  const std::uint32_t first = value(a), second = value(b), third = value(c), fourth = value(d);
  if (((first | second | third | fourth) & kNotOneOfOurs) != 0) return kNoGroup;
  return first << 18 | second << 12 | third << 6 | fourth;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out(base64_decoded_size(text), '\0');
  char* at = out.data();
  const std::size_t padding = padding_of(text);
  const std::size_t whole = text.size() - (padding > 0 ? 4 : 0);
  for (std::size_t i = 0; i < whole; i += 4) {
    const std::uint32_t bits = group_of(text[i], text[i + 1], text[i + 2], text[i + 3]);
    if (bits == kNoGroup) return std::nullopt;
    *at++ = static_cast<char>(bits >> 16);
    *at++ = static_cast<char>(bits >> 8);
    *at++ = static_cast<char>(bits);
  }
  if (padding == 0) return out;
  // Padding is read as zero bits, of which no byte is made.
  const std::uint32_t bits = group_of(text[whole], text[whole + 1], padding == 1 ? text[whole + 2] : 'A', 'A');
  const std::uint32_t left_over = padding == 1 ? 0xff : 0xffff;
  if (bits == kNoGroup || (bits & left_over) != 0) return std::nullopt;
  *at++ = static_cast<char>(bits >> 16);
  if (padding == 1) *at = static_cast<char>(bits >> 8);
  return out;
}

std::size_t base64_decoded_size(std::string_view text) {
  const std::size_t groups = (text.size() + 3) / 4;
  const std::size_t padding = text.size() % 4 == 0 ? padding_of(text) : 0;
  return groups * 3 - padding;
}

}  // namespace braidlog
