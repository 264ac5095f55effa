// The rule for files that came with a message. It quotes: this model cannot sum up, and does not pretend to.
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kFilesMax = 3;
constexpr std::size_t kNameBytesMax = 120;

bool asks_for_file(const Situation& situation) {
  bool asks = false, names_file = false;
  for (const auto& word : split_words(situation.ask)) {
    asks |= is_one_of(word.lower, {"summarize", "summarise", "summary", "summarizing", "sum", "quote", "read", "show",
                                   "describe", "explain", "what", "what's", "tell", "analyze", "analyse", "review"});
    names_file |= is_one_of(word.lower, {"file", "files", "attached", "attachment", "attachments", "document",
                                         "documents", "upload", "uploaded"});
  }
  return asks && names_file;
}

bool speaks_of_attachment(const Situation& situation) {
  const std::string lower = to_lower(situation.ask);
  return find_phrase(lower, "attached") != std::string::npos || find_phrase(lower, "attachment") != std::string::npos;
}

std::string quoted(const Attachment& file) {
  const std::size_t words = count_words(file.text);
  if (words == 0) return shorten(file.name, kNameBytesMax) + " has no text.";
  return shorten(file.name, kNameBytesMax) + " has " + std::to_string(words) + (words == 1 ? " word" : " words") +
         ". It begins:\n\n" + quote(file.text);
}

}  // namespace

std::optional<Answer> quote_attachments(const Situation& situation) {
  // A file that comes with a message is what the message is about, whatever it says.
  if (!situation.attached_now && !asks_for_file(situation)) return std::nullopt;
  if (situation.attachments.empty()) {
    if (!speaks_of_attachment(situation)) return std::nullopt;
    return say("There is no attached file in this conversation.");
  }
  std::string text = "I am Braidlog's built-in offline model and cannot sum a text up in my own words, so I quote.";
  const std::size_t count = situation.attachments.size();
  for (std::size_t i = 0; i < count && i < kFilesMax; ++i) text += "\n\n" + quoted(situation.attachments[i]);
  if (count > kFilesMax) text += "\n\n" + std::to_string(count - kFilesMax) + " more files came with it.";
  return say(std::move(text));
}

}  // namespace braidlog::provider
