// Small readings of what a person wrote: words, names of files, phrases. English and forgiving.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace braidlog::provider {

// A word without the punctuation around it, or what stands between a pair of quotes.
struct Word {
  std::string text;
  std::string lower;               // ASCII letters in lower case
  std::size_t begin = 0, end = 0;  // where it stands, quotes and punctuation included
  bool quoted = false;
};

std::vector<Word> split_words(std::string_view text);

// "haiku.md", "notes/a b.txt" in quotes, "../x": has a slash or an extension. Not a web address.
bool looks_like_file(const Word& word);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

std::string to_lower(std::string_view text);
std::string_view trim(std::string_view text);

// "The sum" of "the sum".
std::string capitalized(std::string_view text);

// Where `phrase` (lower case) stands in `lower` as whole words, or npos.
std::size_t find_phrase(std::string_view lower, std::string_view phrase);
bool has_phrase(std::string_view lower, std::initializer_list<std::string_view> phrases);

// On one line, at most `bytes_max` bytes and an ellipsis: fit to be repeated inside a sentence.
std::string shorten(std::string_view text, std::size_t bytes_max);

// The first words, at most `words_max` of them and `bytes_max` bytes, as shorten() gives them.
std::string first_words(std::string_view text, std::size_t words_max, std::size_t bytes_max);

// The beginning of `text`, about 600 bytes of it, each line behind a mark; with an ellipsis where it was cut.
std::string quote(std::string_view text);

// The last line that is not blank, without the white space around it.
std::string_view last_line(std::string_view text);

// "a", "a and b", "a, b and c".
std::string join_names(const std::vector<std::string>& names);

}  // namespace braidlog::provider
