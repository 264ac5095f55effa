// The rules that only talk.
#include <array>

#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kTopicBytesMax = 60;
constexpr std::size_t kTopicWordsMax = 10;

std::string ordinal(std::size_t n) {
  static constexpr std::array<const char*, 6> kNames{"zeroth", "first", "second", "third", "fourth", "fifth"};
  if (n < kNames.size()) return kNames[n];
  const char* ending = "th";
  if (n % 100 < 11 || n % 100 > 13) ending = n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return std::to_string(n) + ending;
}

std::string abilities(const Situation& situation) {
  std::vector<std::string> list;
  if (situation.writes_code) list.push_back("compute with Python (sums, averages, primes, dates, lists)");
  if (situation.offers("file_write")) list.push_back("write files");
  if (situation.offers("file_read")) list.push_back("read files");
  if (situation.offers("calculator")) list.push_back("calculate");
  if (situation.offers("current_datetime")) list.push_back("tell the time");
  if (situation.offers("search_knowledge_base")) list.push_back("search the knowledge base");
  if (situation.offers("system_status")) list.push_back("tell the system's status");
  if (situation.offers("alert_admin")) list.push_back("alert the admin");
  list.push_back("tell a long story");
  return join_names(list);
}

// After "about", to the end of the sentence.
std::string topic_of(const Situation& situation) {
  const std::string lower = to_lower(situation.ask);
  const std::size_t about = find_phrase(lower, "about");
  if (about == std::string::npos) return "the river";
  std::string_view topic = std::string_view(situation.ask).substr(about + 5);
  topic = trim(topic.substr(0, topic.find_first_of(".?!\n")));
  return topic.empty() ? "the river" : shorten(topic, kTopicBytesMax);
}

// One scene of the story: about thirty-five words without the topic.
std::string scene(std::size_t number, const std::string& topic) {
  static constexpr std::array<const char*, 12> kTimes{
      "On the first morning", "Around noon",           "When the rain came",      "In the long evening",
      "Late that night",      "At the next sunrise",   "After the market closed", "While the town slept",
      "On the seventh day",   "Before the first snow", "When the roads thawed",   "On the very last evening"};
  static constexpr std::array<const char*, 12> kPeople{"an old miller",
                                                       "two quiet sisters",
                                                       "the ferryman",
                                                       "a boy with a lantern",
                                                       "the keeper of the bridge",
                                                       "a travelling clerk",
                                                       "the baker's daughter",
                                                       "a retired pilot",
                                                       "the schoolteacher",
                                                       "a man who mended clocks",
                                                       "the youngest of the carters",
                                                       "everyone who had heard of it"};
  static constexpr std::array<const char*, 12> kTurns{"nobody had thought to write any of it down",
                                                      "the answer had been lying in plain sight since spring",
                                                      "what is told slowly is remembered longer",
                                                      "each of them had kept a different half of the tale",
                                                      "a promise made in passing still counts as a promise",
                                                      "the map was right and the road itself had moved",
                                                      "small things arrive first and great things follow them",
                                                      "the echo came back with one word more than was sent",
                                                      "patience is only another name for keeping count",
                                                      "no page is ever lost if it was copied before it was read",
                                                      "the shortest way home led once more around the hill",
                                                      "every ending is written down exactly once"};
  const std::size_t i = number % kTimes.size();
  return std::string(kTimes[i]) + ", " + kPeople[i] + " came down to the water and asked about " + topic +
         ". They sat together for a while, counted the lights on the other side, and agreed that " + kTurns[i] +
         ". Then they went on, one step after the other.";
}

}  // namespace

std::optional<Answer> repeat_exactly(const Situation& situation) {
  const std::string_view ask = situation.ask;
  const std::string lower = to_lower(ask.substr(0, 64));
  for (const std::string_view order : {"repeat after me:", "say exactly:"}) {
    const std::size_t at = lower.find(order);
    if (at == std::string::npos || !trim(ask.substr(0, at)).empty()) continue;
    std::string_view text = ask.substr(at + order.size());
    if (text.starts_with(' ')) text.remove_prefix(1);
    return say(std::string(text));
  }
  return std::nullopt;
}

std::optional<Answer> tell_long_story(const Situation& situation) {
  if (find_phrase(to_lower(situation.ask), "long story") == std::string::npos) return std::nullopt;
  const std::string topic = topic_of(situation);
  std::string text = "This is a long story about " + topic + ", told by Braidlog's built-in offline model.";
  for (std::size_t i = 0; i < 12; ++i) text += "\n\n" + scene(i, topic);
  text += "\n\nAnd that is the whole story of " + topic + ", as far as it was ever told.";
  return say(std::move(text));
}

Answer introduce_itself(const Situation& situation) {
  const std::string topic = first_words(situation.ask, kTopicWordsMax, kTopicBytesMax);
  std::string text =
      "Hello! I am Braidlog's built-in offline model: I follow simple rules and need neither a network nor a "
      "key. ";
  text += "This is your " + ordinal(situation.earlier_asks + 1) + " message here";
  text += topic.empty() ? ", and it is empty. " : ", about \"" + topic + "\". ";
  return say(text + "I can " + abilities(situation) + ".");
}

}  // namespace braidlog::provider
