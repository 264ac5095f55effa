#include "provider/offline/goal.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "provider/offline/manner.h"
#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kTopicBytesMax = 70;
constexpr std::size_t kTopicWordsMax = 12;
constexpr std::size_t kTitleBytesMax = 200;
constexpr std::size_t kTasksMax = 30;
constexpr std::size_t kWordsAboutIt = 3;

bool is_researching(std::string_view verb) {
  return is_one_of(verb, {"research", "compare", "analyze", "analyse", "investigate", "study", "find", "evaluate",
                          "explore", "examine", "collect", "gather"});
}
bool is_writing(std::string_view verb) {
  return is_one_of(verb, {"write", "draft", "create", "document", "publish", "produce", "compose", "translate",
                          "summarize", "summarise"});
}
bool is_goal_verb(std::string_view verb) {
  return is_researching(verb) || is_writing(verb) ||
         is_one_of(verb, {"plan",    "organize", "organise", "prepare", "launch",  "build",   "design",    "develop",
                          "arrange", "schedule", "improve",  "migrate", "move",    "learn",   "start",     "open",
                          "host",    "hold",     "hire",     "train",   "release", "market",  "sell",      "grow",
                          "reduce",  "increase", "set",      "make",    "run",     "define",  "implement", "introduce",
                          "test",    "review",   "renovate", "teach",   "reach",   "achieve", "win",       "finish"});
}
// Words that may stand before the verb of a goal.
bool is_lead(std::string_view word) {
  return is_one_of(word,
                   {"please", "can",   "could", "would",  "will",  "you",   "i",      "we",    "want", "need", "like",
                    "to",     "help",  "me",    "us",     "let's", "lets",  "hi",     "hello", "hey",  "i'd",  "we'd",
                    "i'm",    "we're", "my",    "our",    "goal",  "is",    "ok",     "okay",  "so",   "now",  "then",
                    "just",   "also",  "must",  "should", "have",  "going", "trying", "and"});
}
bool is_small_talk(std::string_view word) {
  return is_one_of(word,
                   {"yes", "no",      "thanks", "thank", "ok",  "okay",  "hello", "hi",   "hey",       "i",
                    "not", "nothing", "never",  "what",  "why", "how",   "who",   "when", "where",     "which",
                    "is",  "are",     "do",     "does",  "can", "could", "tell",  "help", "something", "anything"});
}

// "3 tasks", "five tasks": their number, and the words to leave out of the topic.
struct Count {
  std::size_t number = 0, begin = 0, end = 0;  // words
};
Count count_in(const std::vector<Word>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_one_of(words[i].lower, {"tasks", "task"})) continue;
    const std::size_t number = small_number(words[i - 1].lower);
    if (number == 0) continue;
    const bool lead = i >= 2 && is_one_of(words[i - 2].lower, {"in", "with", "into", "as", "using"});
    return {std::min(number, kTasksMax), lead ? i - 2 : i - 1, i + 1};
  }
  return {};
}

std::string topic_from(const std::vector<Word>& words, std::size_t begin, const Count& count) {
  std::string text;
  for (std::size_t i = begin; i < words.size(); ++i) {
    if (count.number > 0 && i >= count.begin && i < count.end) continue;
    if (is_one_of(words[i].lower, {"please"})) continue;
    text += (text.empty() ? "" : " ") + words[i].text;
  }
  return first_words(text, kTopicWordsMax, kTopicBytesMax);
}

// What follows "tasks:", at line breaks or semicolons, or else at commas.
std::vector<std::string> titles_in(std::string_view ask) {
  const std::size_t at = to_lower(ask).find("tasks:");
  if (at == std::string::npos) return {};
  const std::string_view text = trim(ask.substr(at + 6));
  const std::string_view separators = text.find_first_of(";\n") == std::string_view::npos ? "," : ";\n";
  std::vector<std::string> titles;
  for (std::size_t begin = 0; begin < text.size() && titles.size() < kTasksMax;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::string_view title = trim(text.substr(begin, end - begin));
    title = title.substr(std::min(title.find_first_not_of("-*0123456789.) "), title.size()));
    if (!title.empty()) titles.push_back(shorten(title, kTitleBytesMax));
    begin = end + 1;
  }
  return titles;
}

std::optional<Goal> goal_in(const std::string& ask) {
  Goal goal;
  goal.titles = titles_in(ask);
  if (!goal.titles.empty()) {
    goal.count = goal.titles.size();
    goal.topic = "what you named";
    return goal;
  }
  const auto words = split_words(ask);
  const Count count = count_in(words);
  goal.count = count.number;
  std::size_t verb = 0;
  while (verb < words.size() && is_lead(words[verb].lower)) ++verb;
  if (verb == words.size()) return std::nullopt;
  std::size_t about = verb + 1;
  // "a plan for the move", "make a plan to move"
  for (std::size_t i = verb; i + 1 < words.size() && i < verb + 4; ++i) {
    if (words[i].lower != "plan" || !is_one_of(words[i + 1].lower, {"for", "to"})) continue;
    goal.verb = "plan";
    about = i + 2;
    break;
  }
  if (goal.verb.empty()) goal.verb = words[verb].lower;
  if (!is_goal_verb(goal.verb)) return std::nullopt;
  const std::size_t left_out = count.number > 0 && count.begin >= about ? count.end - count.begin : 0;
  if (words.size() < about + kWordsAboutIt + left_out) return std::nullopt;
  goal.topic = topic_from(words, about, count);
  return goal;
}

// ---- tasks ----

struct Pattern {
  const char* title;  // '%' is the topic
  const char* description;
};

constexpr std::array<Pattern, 5> kProject{{
    {"Define the goal of %", "Write down what % is to reach and how its success is seen."},
    {"Research what % needs", "Find out what % needs, and keep it as structured facts."},
    {"Estimate the effort for %", "Calculate how many hours % will take."},
    {"Schedule the work on %", "Look at the calendar and write down when the work on % is done."},
    {"Summarize the plan for %", "Bring the results of all tasks about % together."},
}};
constexpr std::array<Pattern, 4> kResearch{{
    {"Define the questions about %", "Write down what is to be found out about %."},
    {"Collect facts about %", "Gather what can be known about %, and keep it as structured facts."},
    {"Compare the findings about %", "Put the facts about % side by side."},
    {"Summarize the findings about %", "Write down what was found out about %."},
}};
constexpr std::array<Pattern, 4> kWriting{{
    {"Outline %", "Write down the parts that % has."},
    {"Collect material for %", "Gather what % needs, and keep it as structured facts."},
    {"Draft %", "Write the first version of %."},
    {"Review the draft of %", "Read the draft of % again and say what is missing."},
}};
// For who wants more of them.
constexpr std::array<Pattern, 6> kMore{{
    {"List the risks of %", "Name what may go wrong with %."},
    {"Estimate the cost of %", "Calculate what % will cost."},
    {"List the people for %", "Name who takes part in %."},
    {"Draft a message about %", "Write what others are told about %."},
    {"Choose the next step for %", "Say what comes after % and why."},
    {"Check the work on %", "Look at what was made for % so far."},
}};

std::string fill(std::string_view pattern, const std::string& topic) {
  std::string out;
  for (const char c : pattern) c == '%' ? out += topic : out += c;
  return out;
}

std::vector<Pattern> patterns_for(const Goal& goal) {
  const std::span<const Pattern> base = is_researching(goal.verb) ? std::span<const Pattern>(kResearch)
                                        : is_writing(goal.verb)   ? std::span<const Pattern>(kWriting)
                                                                  : std::span<const Pattern>(kProject);
  std::vector<Pattern> patterns(base.begin(), base.end());
  if (goal.count == 0) return patterns;
  // The last one brings things to an end: more tasks go before it, and fewer leave out those before it.
  for (std::size_t i = 0; patterns.size() < goal.count; ++i) {
    patterns.insert(patterns.end() - 1, kMore[i % kMore.size()]);
  }
  while (patterns.size() > goal.count) {
    patterns.erase(patterns.end() - (patterns.size() > 1 && goal.count > 1 ? 2 : 1));
  }
  return patterns;
}

}  // namespace

std::optional<Goal> read_goal(const Situation& situation) {
  if (auto goal = goal_in(situation.ask)) return goal;
  if (situation.said_before.find(kGoalQuestion) == std::string::npos) return std::nullopt;
  // We asked, and this may be the answer.
  const auto words = split_words(situation.ask);
  if (words.size() < kWordsAboutIt || is_small_talk(words[0].lower) || trim(situation.ask).ends_with('?')) {
    return std::nullopt;
  }
  const Count count = count_in(words);
  return Goal{.verb = "reach", .topic = topic_from(words, 0, count), .count = count.number, .titles = {}};
}

std::vector<PlannedTask> tasks_for(const Goal& goal) {
  std::vector<PlannedTask> tasks;
  for (const auto& title : goal.titles) tasks.push_back({title, "Asked for by the user."});
  if (!tasks.empty()) return tasks;
  for (const auto& pattern : patterns_for(goal)) {
    tasks.push_back({fill(pattern.title, goal.topic), fill(pattern.description, goal.topic)});
  }
  return tasks;
}

}  // namespace braidlog::provider
