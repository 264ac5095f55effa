// The rule for questions to an agent that has a knowledge base: search it with the words that matter, answer with what
// was found.
#include <algorithm>
#include <array>

#include "base/json.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr const char* kTool = "search_knowledge_base";
constexpr std::size_t kQueryWordsMax = 10;
constexpr std::size_t kWordBytesMax = 40;
constexpr std::size_t kReasonBytesMax = 200;
constexpr std::size_t kTitleBytesMax = 200;

// Sorted. Words that carry no subject, and those of greetings, thanks and small talk: a message of nothing else is not
// looked up.
constexpr std::array<std::string_view, 222> kSmallWords{
    // clang-format off
    "a", "about", "after", "afternoon", "again", "ai", "all", "alright", "also", "always", "am", "an", "and", "any",
    "anyone", "anything", "are", "as", "ask", "at", "awesome", "be", "been", "before", "bonjour", "bored", "bot", "but",
    "by", "bye", "can", "can't", "cannot", "cheers", "cool", "could", "couldn't", "day", "dear", "did", "didn't", "do",
    "does", "doesn't", "doing", "don't", "else", "evening", "feel", "feeling", "fine", "for", "from", "fun", "get",
    "give", "go", "going", "good", "goodbye", "goodnight", "got", "great", "greetings", "had", "haha", "hallo",
    "happen", "happens", "has", "have", "hello", "help", "her", "here", "hey", "hi", "him", "his", "hola", "hope",
    "how", "how's", "howdy", "human", "i", "i'd", "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "it's", "its",
    "joke", "just", "know", "later", "let", "like", "lol", "lot", "love", "made", "make", "many", "may", "maybe", "me",
    "meet", "might", "more", "morning", "much", "must", "my", "name", "need", "nice", "night", "no", "not", "now", "of",
    "off", "ok", "okay", "on", "one", "or", "our", "out", "perfect", "please", "question", "questions", "really",
    "right", "robot", "said", "say", "see", "shall", "she", "should", "so", "some", "someone", "something", "sorry",
    "speak", "still", "sure", "take", "takes", "talk", "tell", "test", "testing", "than", "thank", "thanks", "that",
    "that's", "the", "their", "them", "then", "there", "there's", "they", "thing", "things", "think", "this", "thx",
    "to", "today", "tomorrow", "tonight", "too", "up", "us", "use", "very", "want", "was", "wasn't", "we", "weather",
    "weekend", "welcome", "well", "were", "what", "what's", "when", "where", "where's", "which", "who", "who's",
    "whose", "why", "will", "with", "won't", "work", "world", "would", "wow", "yeah", "yes", "yet", "yo", "you",
    "you're", "your", "yours",
    // clang-format on
};

// The words of the question that say what it is about, in their order; empty for small talk.
std::string query_of(const std::string& ask) {
  static_assert(std::is_sorted(kSmallWords.begin(), kSmallWords.end()));
  std::string query;
  std::size_t count = 0;
  for (const auto& word : split_words(ask)) {
    if (std::binary_search(kSmallWords.begin(), kSmallWords.end(), word.lower)) continue;
    query += (query.empty() ? "" : " ") + shorten(word.lower, kWordBytesMax);
    if (++count == kQueryWordsMax) break;
  }
  return query;
}

struct Found {
  std::string title;  // with its document: "Returns (returns.md)"
  std::string text;
};

// The tool numbers its passages: "[1] Returns (returns.md)", then the passage, then an empty line and the next.
std::vector<Found> passages_in(std::string_view result) {
  std::vector<Found> found;
  for (std::size_t number = 1; !result.empty(); ++number) {
    const std::string mark = "[" + std::to_string(number) + "] ";
    if (!result.starts_with(mark)) break;
    const std::size_t end = result.find("\n\n[" + std::to_string(number + 1) + "] ");
    const std::string_view passage =
        result.substr(mark.size(), end == std::string_view::npos ? end : end - mark.size());
    const std::size_t line = std::min(passage.find('\n'), passage.size());
    found.push_back({shorten(passage.substr(0, line), kTitleBytesMax), std::string(trim(passage.substr(line)))});
    result = end == std::string_view::npos ? std::string_view() : result.substr(end + 2);
  }
  return found;
}

Answer report(const PastCall& call) {
  if (!call.result) return say("I could not search the knowledge base: no result came back");
  const auto found = passages_in(*call.result);
  if (!found.empty()) {
    std::string text = found[0].title + " says:\n\n" + quote(found[0].text);
    if (found.size() > 1) text += "\n\nSee also " + found[1].title + ".";
    return say(std::move(text));
  }
  if (!call.result->starts_with("Nothing in the knowledge base")) {
    return say("I could not search the knowledge base: " + shorten(*call.result, kReasonBytesMax));
  }
  return say(
      "I found nothing about \"" + shorten(call.argument("query"), kReasonBytesMax) +
      "\" in the knowledge base, and as the built-in offline model I know nothing else. Other words may find more.");
}

}  // namespace

std::optional<Answer> search_knowledge(const Situation& situation) {
  const auto calls = situation.calls_of(kTool);
  if (!calls.empty()) return report(calls.back());
  if (!situation.offers(kTool)) return std::nullopt;
  const std::string query = query_of(situation.ask);
  if (query.empty()) return std::nullopt;
  std::string args;
  JsonWriter(args).begin_object().key("query").string(query).end_object();
  return Answer{.pieces = {CallTool{kTool, std::move(args)}}};
}

}  // namespace braidlog::provider
