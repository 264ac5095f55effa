#include "tool/knowledge/match_query.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kWordsMax = 24;
constexpr std::size_t kWordBytesMax = 64;

// Sorted. Words that say nothing about what is looked for; in a small set of documents they would find everything.
constexpr std::array<std::string_view, 96> kCommonWords{
    "a",     "about",  "after", "all",   "also", "am",    "an",   "and",   "any",    "are",   "as",   "at",
    "be",    "been",   "but",   "by",    "can",  "could", "did",  "do",    "does",   "for",   "from", "get",
    "give",  "had",    "has",   "have",  "he",   "her",   "his",  "how",   "i",      "if",    "in",   "into",
    "is",    "it",     "its",   "just",  "know", "let",   "like", "may",   "me",     "much",  "must", "my",
    "need",  "no",     "not",   "of",    "on",   "or",    "our",  "out",   "please", "s",     "say",  "shall",
    "she",   "should", "so",    "some",  "t",    "tell",  "than", "that",  "the",    "their", "them", "then",
    "there", "they",   "this",  "to",    "us",   "want",  "was",  "we",    "were",   "what",  "when", "where",
    "which", "who",    "whom",  "whose", "why",  "will",  "with", "would", "yes",    "you",   "your", "yours",
};

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > i) {
      std::string word(utf8_prefix(text.substr(i, end - i), kWordBytesMax));
      for (char& c : word) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
      }
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    }
    if (words.size() == 4 * kWordsMax) break;
    i = end + 1;
  }
  return words;
}

bool is_common(const std::string& word) {
  return std::binary_search(kCommonWords.begin(), kCommonWords.end(), word);
}

}  // namespace

std::string match_query(std::string_view text) {
  static_assert(std::is_sorted(kCommonWords.begin(), kCommonWords.end()));
  std::vector<std::string> words = words_of(text);
  if (!std::all_of(words.begin(), words.end(), is_common)) std::erase_if(words, is_common);
  if (words.size() > kWordsMax) words.resize(kWordsMax);
  std::string query;
  for (const auto& word : words) query += (query.empty() ? "\"" : " OR \"") + word + "\"";
  if (!query.empty()) query += "*";
  return query;
}

}  // namespace braidlog::tool
