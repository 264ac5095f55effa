#include "provider/offline/file_text.h"

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kTopicBytesMax = 80;
constexpr const char* kSignature = "Written by Braidlog's built-in offline model.\n";

// "rivers" of "a haiku about rivers"; the wish itself when it names no topic.
std::string topic_of(std::string_view wish) {
  const std::string lower = to_lower(wish);
  for (const std::string_view link : {"about", "on", "of", "for"}) {
    const std::size_t at = find_phrase(lower, link);
    if (at == std::string::npos) continue;
    const auto topic = trim(wish.substr(at + link.size()));
    if (!topic.empty()) return shorten(topic, kTopicBytesMax);
  }
  return shorten(wish, kTopicBytesMax);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] & ~0x20);
  return text;
}

}  // namespace

std::string compose_file_text(std::string_view wish, std::string_view name) {
  const std::string lower = to_lower(wish);
  const std::string topic = wish.empty() ? std::string(name) : topic_of(wish);
  const auto asks_for = [&](std::string_view kind) { return find_phrase(lower, kind) != std::string::npos; };
  if (asks_for("haiku")) {
    return capitalised(topic) + " at first light,\nevery word finds its way down,\nthen the page is still.\n";
  }
  if (asks_for("poem")) {
    return "# " + capitalised(topic) + "\n\nI follow a rule and I follow a line,\nthe subject is " + topic +
           ", the rhythm is mine.\nI count every word and I keep every one,\nand I stop on the page where "
           "the counting is done.\n";
  }
  if (asks_for("list")) {
    return "# " + capitalised(topic) + "\n\n- What it is\n- Why it matters\n- What to do next\n\n" + kSignature;
  }
  return "# " + capitalised(topic) + "\n\nThis file is about " + topic +
         ". It says what was asked for, in the order in which it was asked, and leaves the rest to its "
         "reader.\n\n" +
         kSignature;
}

}  // namespace braidlog::provider
