// Questions about numbers as Python: sums and averages, primes, sequences, percentages.
#include <algorithm>
#include <regex>
#include <utility>

#include "provider/offline/computation.h"
#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr const char* kIsPrime =
    "def is_prime(n):\n"
    "    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))";

// A number as Python writes it: no commas between digits, no zeros in front.
std::string literal(std::string text) {
  std::erase(text, ',');
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  while (text.size() > first + 1 && text[first] == '0' && text[first + 1] != '.') text.erase(first, 1);
  return text;
}

std::vector<std::string> numbers_in(const std::string& text) {
  static const std::regex kNumber(R"(-?\d+(?:,\d{3}(?!\d))*(?:\.\d+)?)");
  std::vector<std::string> numbers;
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
    numbers.push_back(literal(at->str()));
  }
  return numbers;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + item;
  return out + "]";
}

// ---- what is done with numbers ----

struct Statistic {
  std::string name;     // "average"
  std::string import;   // a line of Python, or empty
  std::string formula;  // over `numbers`
};

std::optional<Statistic> statistic(std::string_view word) {
  if (is_one_of(word, {"sum", "total"})) return Statistic{"sum", "", "sum(numbers)"};
  if (is_one_of(word, {"average", "mean"})) return Statistic{"average", "", "sum(numbers) / len(numbers)"};
  if (word == "median") return Statistic{"median", "import statistics", "statistics.median(numbers)"};
  if (word == "product") return Statistic{"product", "import math", "math.prod(numbers)"};
  if (is_one_of(word, {"maximum", "largest", "biggest", "max"})) return Statistic{"maximum", "", "max(numbers)"};
  if (is_one_of(word, {"minimum", "smallest", "min"})) return Statistic{"minimum", "", "min(numbers)"};
  if (word == "standard deviation") {
    return Statistic{"standard deviation", "import statistics", "statistics.stdev(numbers)"};
  }
  return std::nullopt;
}

// The numbers first, then what is asked of them; no statistic: they are the answer.
Computation over_numbers(const std::string& described, std::string make, const std::string& one_line,
                         const std::optional<Statistic>& wanted) {
  Computation computation;
  CodeStep collect{"I make the list of " + described + ".", "numbers = " + one_line, "numbers"};
  if (!make.empty()) collect.code = make + "\n" + collect.code;
  if (!wanted) {
    computation.what = described;
    collect.code += "\nresult = numbers";
    collect.shows = "result";
    computation.steps = {std::move(collect)};
    computation.lead = capitalized(described) + " are ";
  } else {
    computation.what = "the " + wanted->name + " of " + described;
    if (!wanted->import.empty()) collect.code.insert(0, wanted->import + "\n");
    computation.steps = {std::move(collect),
                         {"I compute their " + wanted->name + ".", "result = " + wanted->formula, "result"}};
    computation.again = wanted->formula;
    computation.lead = "The " + wanted->name + " of " + described + " is ";
  }
  computation.tail = ".";
  return computation;
}

Computation one_step(const std::string& what, std::string code, std::string again) {
  Computation computation;
  computation.what = what;
  computation.steps = {{"I compute " + what + ".", std::move(code), "result"}};
  computation.again = std::move(again);
  computation.lead = capitalized(what) + " is ";
  computation.tail = ".";
  return computation;
}

// ---- the kinds ----

// "average of 3, 5 and 10"
std::optional<Computation> statistic_of_list(const std::string& lower) {
  static const std::regex kPattern(
      R"(\b(average|mean|median|sum|total|product|maximum|largest|biggest|max|minimum|smallest|min|standard deviation))"
      R"((?:\s+value|\s+number)?\s+(?:of|among|in)\s+(?:the\s+)?(?:following\s+)?(?:numbers|values)?\s*:?\s*)"
      R"((-?\d[-\d.,;\s]*(?:(?:and|or)\s+-?\d[\d.,]*)?)\s*[?.!]*\s*$)");
  std::smatch match;
  if (!std::regex_search(lower, match, kPattern)) return std::nullopt;
  const auto numbers = numbers_in(match[2].str());
  if (numbers.size() < 2) return std::nullopt;
  return over_numbers(join_names(numbers), "", list_of(numbers), statistic(match[1].str()));
}

// The first `count` of a kind of number, as Python; empty for an unknown kind.
std::pair<std::string, std::string> sequence(const std::string& kind, const std::string& count) {
  const auto each = [&](const std::string& element) {
    return std::pair<std::string, std::string>("", "[" + element + " for n in range(1, " + count + " + 1)]");
  };
  if (kind.starts_with("square")) return each("n ** 2");
  if (kind.starts_with("cube")) return each("n ** 3");
  if (kind.starts_with("odd")) return each("2 * n - 1");
  if (kind.starts_with("even")) return each("2 * n");
  if (kind.starts_with("powers")) return each("2 ** n");
  if (kind.starts_with("prime")) {
    return {std::string(kIsPrime) + "\nfound = []\nn = 2\nwhile len(found) < " + count +
                ":\n    if is_prime(n):\n        found.append(n)\n    n += 1",
            "found"};
  }
  if (kind.starts_with("fibonacci")) {
    return {"found = [0, 1]\nwhile len(found) < " + count + ":\n    found.append(found[-1] + found[-2])",
            "found[:" + count + "]"};
  }
  return each("n");
}

// "sum of the first 100 squares", "the first 10 primes"
std::optional<Computation> first_of_a_kind(const std::string& lower) {
  static const std::regex kPattern(
      R"((?:\b(sum|product|average|total|mean)\s+of\s+)?(?:all\s+)?(?:the\s+)?\bfirst\s+(\d{1,4})\s+)"
      R"(((?:square|cube|odd|even|prime|natural|whole|positive|fibonacci)?\s*(?:numbers|integers)|squares|cubes|primes)"
      R"(|powers of (?:2|two)))");
  std::smatch match;
  if (!std::regex_search(lower, match, kPattern)) return std::nullopt;
  const std::string count = literal(match[2].str()), kind = match[3].str();
  const auto [make, list] = sequence(kind, count);
  return over_numbers("the first " + count + " " + kind, make, list, statistic(match[1].str()));
}

// "sum of the even numbers from 1 to 100"
std::optional<Computation> statistic_of_range(const std::string& lower) {
  static const std::regex kPattern(
      R"(\b(sum|product|average|total|mean)\s+of\s+(?:all\s+)?(?:the\s+)?(even|odd)?\s*(?:natural\s+|whole\s+)?)"
      R"((?:numbers|integers)?\s*(?:from|between)?\s*(-?\d{1,6})\s*(?:to|through|and|up to)\s*(-?\d{1,6})\b)");
  std::smatch match;
  if (!std::regex_search(lower, match, kPattern)) return std::nullopt;
  const std::string kind = match[2].str(), from = literal(match[3].str()), to = literal(match[4].str());
  std::string list = "[n for n in range(" + from + ", " + to + " + 1)";
  if (!kind.empty()) list += kind == "even" ? " if n % 2 == 0" : " if n % 2 == 1";
  const std::string numbers = (kind.empty() ? "" : kind + " ") + std::string("numbers from ");
  return over_numbers("the " + numbers + from + " to " + to, "", list + "]", statistic(match[1].str()));
}

// "list the primes below 50", "how many primes are there between 100 and 200"
std::optional<Computation> primes_in_range(const std::string& lower) {
  static const std::regex kBelow(R"(\bprime(?:s| numbers)\s+(?:that\s+)?(?:are\s+)?(?:there\s+)?)"
                                 R"((below|under|less than|smaller than|up to)\s+(\d{1,6})\b)");
  static const std::regex kBetween(
      R"(\bprime(?:s| numbers)\s+(?:are\s+)?(?:there\s+)?(?:between|from)\s+(\d{1,6})\s+(?:and|to)\s+(\d{1,6})\b)");
  std::smatch match;
  std::string range, described;
  if (std::regex_search(lower, match, kBelow)) {
    const std::string end = literal(match[2].str());
    range = "range(2, " + end + (match[1].str() == "up to" ? " + 1)" : ")");
    described = "the primes " + match[1].str() + " " + end;
  } else if (std::regex_search(lower, match, kBetween)) {
    const std::string begin = literal(match[1].str()), end = literal(match[2].str());
    range = "range(" + begin + ", " + end + " + 1)";
    described = "the primes between " + begin + " and " + end;
  } else {
    return std::nullopt;
  }
  std::optional<Statistic> wanted;
  if (has_phrase(lower, {"how many", "number of", "count"})) wanted = Statistic{"number", "", "len(numbers)"};
  if (has_phrase(lower, {"sum of"})) wanted = statistic("sum");
  return over_numbers(described, kIsPrime, "[n for n in " + range + " if is_prime(n)]", wanted);
}

std::optional<Computation> about_one_number(const std::string& lower) {
  static const std::regex kIs(R"(\bis\s+(\d{1,12})\s+(?:a\s+)?prime\b)");
  static const std::regex kFactors(
      R"((?:\bprime factors of|\bfactori[sz]e|\bprime factori[sz]ation of)\s+(\d{1,12})\b)");
  static const std::regex kFactorial(R"((?:\bfactorial of\s+(\d{1,4})\b|^\D*\b(\d{1,4})!))");
  static const std::regex kFibonacci(R"(\b(\d{1,4})(?:st|nd|rd|th)\s+fibonacci\b)");
  std::smatch match;
  if (std::regex_search(lower, match, kIs)) {
    const std::string n = literal(match[1].str());
    Computation computation = one_step("whether " + n + " is prime",
                                       std::string(kIsPrime) + "\nresult = is_prime(" + n + ")", "is_prime(" + n + ")");
    computation.lead = "Is " + n + " a prime? Python says ";
    return computation;
  }
  if (std::regex_search(lower, match, kFactors)) {
    const std::string n = literal(match[1].str());
    Computation computation =
        one_step("the prime factors of " + n,
                 "rest, divisor, result = " + n +
                     ", 2, []\nwhile divisor * divisor <= rest:\n    while rest % divisor == 0:\n        "
                     "result.append(divisor)\n"
                     "        rest //= divisor\n    divisor += 1\nif rest > 1:\n    result.append(rest)",
                 "");
    computation.lead = "The prime factors of " + n + " are ";
    return computation;
  }
  if (std::regex_search(lower, match, kFactorial)) {
    const std::string n = literal(match[1].matched ? match[1].str() : match[2].str());
    return one_step("the factorial of " + n, "import math\nresult = math.factorial(" + n + ")",
                    "math.prod(range(1, " + n + " + 1))");
  }
  if (std::regex_search(lower, match, kFibonacci)) {
    const std::string n = literal(match[1].str());
    return one_step(
        "Fibonacci number " + n,
        "result, following = 0, 1\nfor _ in range(" + n + "):\n    result, following = following, result + following",
        "");
  }
  return std::nullopt;
}

std::optional<Computation> about_two_numbers(const std::string& lower) {
  static const std::regex kPercent(R"((-?\d[\d,]*(?:\.\d+)?)\s*(?:%|percent)\s+of\s+(-?\d[\d,]*(?:\.\d+)?))");
  static const std::regex kDivide(
      R"(\b(divide|multiply)\s+(-?\d[\d,]*(?:\.\d+)?)\s+(?:by|with)\s+(-?\d[\d,]*(?:\.\d+)?))");
  static const std::regex kDivisor(
      R"(\b(gcd|greatest common divisor|lcm|least common multiple)\s+of\s+(\d{1,12})\s+and\s+(\d{1,12})\b)");
  std::smatch match;
  if (std::regex_search(lower, match, kPercent)) {
    const std::string a = literal(match[1].str()), b = literal(match[2].str());
    return one_step(a + " percent of " + b, "result = " + b + " * " + a + " / 100", b + " * " + a + " / 100");
  }
  if (std::regex_search(lower, match, kDivide)) {
    const std::string sign = match[1].str() == "divide" ? " / " : " * ";
    const std::string formula = literal(match[2].str()) + sign + literal(match[3].str());
    Computation computation = one_step(formula, "result = " + formula, formula);
    computation.lead = formula + " = ";
    computation.tail = "";
    return computation;
  }
  if (std::regex_search(lower, match, kDivisor)) {
    const std::string word = match[1].str();
    const std::string name = word == "gcd" || word.starts_with("greatest") ? "gcd" : "lcm";
    const std::string formula = "math." + name + "(" + literal(match[2].str()) + ", " + literal(match[3].str()) + ")";
    return one_step("the " + word + " of " + match[2].str() + " and " + match[3].str(),
                    "import math\nresult = " + formula, formula);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Computation> number_computation(const std::string& lower) {
  for (const auto kind :
       {statistic_of_list, first_of_a_kind, primes_in_range, statistic_of_range, about_one_number, about_two_numbers}) {
    if (auto found = kind(lower)) return found;
  }
  return std::nullopt;
}

}  // namespace braidlog::provider
