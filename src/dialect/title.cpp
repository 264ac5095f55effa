#include "dialect/title.h"

#include "base/utf8.h"

namespace braidlog {

namespace {

constexpr std::size_t kCharactersMax = 80;

// The character at the front of valid UTF-8.
std::string_view first_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) ++length;
  return text.substr(0, length);
}

}  // namespace

// A message may be long; no more of it is looked at than the title needs.
std::string title_of(std::string_view message) {
  std::string title;
  std::size_t characters = 0, last_word_end = 0;
  bool space_due = false;
  while (!message.empty()) {
    const auto character = first_character(message);
    message.remove_prefix(character.size());
    if (is_blank(character)) {
      if (!space_due) last_word_end = title.size();
      space_due = !title.empty();
      continue;
    }
    const std::size_t needed = space_due ? 2 : 1;
    if (characters + needed > kCharactersMax) {
      // The word that does not fit is left out whole, unless it is the only one.
      if (last_word_end > 0) title.resize(last_word_end);
      return title;
    }
    if (space_due) title += ' ';
    title += character;
    characters += needed;
    space_due = false;
  }
  return title;
}

}  // namespace braidlog
