#include "terminal/columns.h"

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cwchar>

namespace braidlog::terminal {

namespace {

struct Character {
  std::size_t bytes = 1, width = 0;
};

Character first_character(std::string_view text) {
  if (MB_CUR_MAX > 1) {
    std::mbstate_t state{};
    wchar_t wide = 0;
    const auto length = std::mbrtowc(&wide, text.data(), text.size(), &state);
    if (length != 0 && length <= text.size()) {
      return {length, static_cast<std::size_t>(std::max(0, ::wcwidth(wide)))};
    }
  }
  // Not the locale for this: one column for the first byte, none for those that go with it.
  return {1, (static_cast<unsigned char>(text.front()) & 0xC0u) != 0x80u ? 1u : 0u};
}

// Bytes of a colour at the front; 0 when there is none.
std::size_t colour_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

void use_utf8_locale() {
  if (std::setlocale(LC_CTYPE, "") != nullptr && MB_CUR_MAX > 1) return;
  std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const auto colour = colour_bytes(text); colour > 0) {
      text.remove_prefix(colour);
      continue;
    }
    const auto character = first_character(text);
    width += character.width;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (text.size() <= columns || width_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t width = 0, bytes = 0;
  while (bytes < text.size()) {
    const auto character = first_character(text.substr(bytes));
    if (width + character.width > columns - 1) break;
    width += character.width;
    bytes += character.bytes;
  }
  return std::string(text.substr(0, bytes)) + "\xE2\x80\xA6";
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

}  // namespace braidlog::terminal
