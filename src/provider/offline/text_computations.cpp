// Questions about words and dates as Python.
#include <algorithm>
#include <regex>
#include <utility>

#include "provider/offline/computation.h"
#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kItemsMax = 100;

bool is_number(const std::string& text) {
  static const std::regex kNumber(R"(-?(?:0|[1-9]\d*)(?:\.\d+)?)");
  return std::regex_match(text, kNumber);
}

// What a list names: between commas, semicolons, "and", or else between spaces.
std::vector<std::string> items_in(std::string text) {
  static const std::regex kAnd(R"(,?\s+and\s+)", std::regex::icase);
  text = std::regex_replace(text, kAnd, ", ");
  const bool has_commas = text.find_first_of(",;") != std::string::npos;
  const std::string_view separators = has_commas ? ",;\n" : " \n";
  std::vector<std::string> items;
  for (std::size_t at = 0; at < text.size() && items.size() < kItemsMax;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    std::string_view item = trim(std::string_view(text).substr(at, end - at));
    while (!item.empty() && std::string_view(".?!\"'").find(item.back()) != std::string_view::npos)
      item.remove_suffix(1);
    while (!item.empty() && std::string_view("\"'").find(item.front()) != std::string_view::npos) item.remove_prefix(1);
    if (!item.empty()) items.emplace_back(item);
    at = end + 1;
  }
  return items;
}

// "sort pear, fig and apple", "Sort these numbers in descending order: 3, 1, 2"
std::optional<Computation> sorting(const std::string& ask) {
  static const std::regex kOrder(R"(^\W*(?:can you\s+|could you\s+)?sort\b)"
                                 R"((?:\s+(?:these|the|this|my|following|list|of|words|numbers|items|names)\b)*)",
                                 std::regex::icase);
  static const std::regex kDirection(
      R"(,?\s*\b(?:in\s+)?(?:(descending|reverse|reversed|decreasing)|ascending|alphabetical|increasing))"
      R"((?:\s+order)?\b)"
      R"(|\balphabetically\b)",
      std::regex::icase);
  std::smatch match;
  if (!std::regex_search(ask, match, kOrder)) return std::nullopt;
  std::string rest = match.suffix().str();
  bool descending = false;
  if (std::smatch direction; std::regex_search(rest, direction, kDirection)) {
    descending = direction[1].matched;
    rest = direction.prefix().str() + direction.suffix().str();
  }
  const std::string_view list = trim(rest);
  auto items = items_in(std::string(list.substr(list.starts_with(':') ? 1 : 0)));
  if (items.size() < 2) return std::nullopt;
  const bool numbers = std::all_of(items.begin(), items.end(), is_number);
  std::string python;
  for (const auto& item : items) python += (python.empty() ? "" : ", ") + (numbers ? item : python_string(item));
  const std::string key = numbers ? "" : ", key=str.lower";
  const std::string formula = "sorted(items" + key + (descending ? ", reverse=True)" : ")");
  Computation computation;
  computation.what = "the sorted list";
  computation.steps = {{"I put the items into a list.", "items = [" + python + "]", "items"},
                       {"I sort them.", "result = " + formula, "result"}};
  computation.again = formula;
  computation.lead = "Sorted: ";
  return computation;
}

// "how many r's are in strawberry", "reverse the word stressed"
std::optional<Computation> about_a_word(const std::string& ask) {
  static const std::regex kLetters(
      R"(\bhow many (?:times (?:does|is) )?(?:the )?(?:letter )?["']?([a-z])["']?(?:'?s)?\s+)"
      R"((?:are\s+|is\s+)?(?:there\s+)?(?:appears?\s+|occurs?\s+)?in\s+(?:the\s+word\s+)?["']?([a-z]+))",
      std::regex::icase);
  static const std::regex kReverse(
      R"(\breverse\s+(?:(?:the\s+)?(?:word|text|string|sentence)\s*:?\s*["']?|["'])([^"'\n?!]+))", std::regex::icase);
  std::smatch match;
  Computation computation;
  if (std::regex_search(ask, match, kLetters)) {
    const std::string letter = to_lower(match[1].str()), word = match[2].str();
    computation.what = "how often " + letter + " is in " + word;
    computation.again = python_string(to_lower(word)) + ".count(" + python_string(letter) + ")";
    computation.lead = "The letter " + letter + " is in " + word + " so many times: ";
  } else if (std::regex_search(ask, match, kReverse)) {
    const std::string text(trim(match[1].str()));
    if (text.empty()) return std::nullopt;
    computation.what = "the reverse of \"" + text + "\"";
    computation.again = python_string(text) + "[::-1]";
    computation.lead = "Reversed: ";
  } else {
    return std::nullopt;
  }
  computation.steps = {{"I find out " + computation.what + ".", "result = " + computation.again, "result"}};
  return computation;
}

// "how many days between 2024-01-01 and 2024-03-01", "what day of the week was 2024-02-29"
std::optional<Computation> about_dates(const std::string& ask) {
  static const std::regex kDate(R"(\b(\d{4}-\d{2}-\d{2})\b)");
  std::vector<std::string> dates;
  for (std::sregex_iterator at(ask.begin(), ask.end(), kDate), end; at != end; ++at) dates.push_back(at->str());
  const std::string lower = to_lower(ask);
  Computation computation;
  const auto date = [](const std::string& text) { return "date.fromisoformat(" + python_string(text) + ")"; };
  if (dates.size() == 2 && has_phrase(lower, {"days", "weeks", "between"})) {
    const bool weeks = has_phrase(lower, {"weeks"});
    computation.what = std::string("the ") + (weeks ? "weeks" : "days") + " between " + dates[0] + " and " + dates[1];
    computation.steps = {
        {"I read the two dates.",
         "from datetime import date\nfirst, second = " + date(dates[0]) + ", " + date(dates[1]), "first, second"},
        {"I count the days between them.",
         weeks ? "result = abs((second - first).days) / 7" : "result = abs((second - first).days)", "result"}};
    computation.again = weeks ? "abs((first - second).days) / 7" : "abs((first - second).days)";
    computation.lead = "Between " + dates[0] + " and " + dates[1] + " there are ";
    computation.tail = weeks ? " weeks." : " days.";
    return computation;
  }
  if (dates.size() == 1 && has_phrase(lower, {"what day", "which day", "what weekday", "which weekday"})) {
    computation.what = "the weekday of " + dates[0];
    computation.steps = {{"I find out " + computation.what + ".",
                          "from datetime import date\nresult = " + date(dates[0]) + ".strftime(\"%A\")", "result"}};
    computation.again = date(dates[0]) + ".strftime(\"%A\")";
    computation.lead = "The weekday of " + dates[0] + " is ";
    computation.tail = ".";
    return computation;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Computation> text_computation(const std::string& ask) {
  for (const auto kind : {about_dates, sorting, about_a_word}) {
    if (auto found = kind(ask)) return found;
  }
  return std::nullopt;
}

}  // namespace braidlog::provider
