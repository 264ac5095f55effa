// Arithmetic as Python: an expression as it was typed, cut into its operations so that it can be done step by step.
#include <array>
#include <utility>

#include "provider/offline/computation.h"
#include "provider/offline/phrases.h"
#include "provider/offline/question_text.h"

namespace braidlog::provider {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// The calculator's names as Python has them.
std::string python_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{{
      {"sqrt", "math.sqrt"},
      {"floor", "math.floor"},
      {"ceil", "math.ceil"},
      {"ln", "math.log"},
      {"log", "math.log10"},
      {"exp", "math.exp"},
      {"sin", "math.sin"},
      {"cos", "math.cos"},
      {"tan", "math.tan"},
      {"pi", "math.pi"},
  }};
  for (const auto& [ours, python] : kNames) {
    if (name == ours) return std::string(python);
  }
  return name == "e" ? "math.e" : std::string(name);
}

// Reads an expression and writes it down as one assignment per operation: the last value has no name yet. What it
// cannot read makes it give up; then the expression is left to Python as it is.
class Dissector {
 public:
  explicit Dissector(std::string_view text) : text_(text) {}

  struct Parts {
    std::vector<std::pair<std::string, std::string>> named;  // part_1 = 17 * 23
    std::string last;                                        // part_1 + 4
    std::string whole;                                       // 17 * 23 + 4
  };
  std::optional<Parts> dissect() {
    Value value = sum();
    skip_space();
    if (failed_ || at_ < text_.size()) return std::nullopt;
    return Parts{std::move(named_), std::move(value.part), std::move(value.whole)};
  }

 private:
  // The same value twice: in terms of the parts, and written out.
  struct Value {
    std::string part, whole;
    bool is_operation = false;
  };

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view sign) {
    skip_space();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  // What is used in another operation gets a name first.
  std::string name(Value& value) {
    if (!value.is_operation) return value.part;
    const std::string name = "part_" + std::to_string(named_.size() + 1);
    named_.emplace_back(name, value.part);
    return name;
  }
  Value combine(Value left, const std::string& sign, Value right) {
    const std::string a = name(left), b = name(right);
    return {a + sign + b, left.whole + sign + right.whole, true};
  }

  Value sum() {
    Value value = product();
    while (!failed_) {
      if (take("+")) {
        value = combine(std::move(value), " + ", product());
      } else if (take("-")) {
        value = combine(std::move(value), " - ", product());
      } else {
        return value;
      }
    }
    return value;
  }
  Value product() {
    Value value = signed_value();
    while (!failed_) {
      skip_space();
      if (text_.substr(at_).starts_with("**")) return value;
      if (take("*")) {
        value = combine(std::move(value), " * ", signed_value());
      } else if (take("//")) {
        value = combine(std::move(value), " // ", signed_value());
      } else if (take("/")) {
        value = combine(std::move(value), " / ", signed_value());
      } else if (take("%")) {
        value = combine(std::move(value), " % ", signed_value());
      } else {
        return value;
      }
    }
    return value;
  }
  Value signed_value() {
    if (!take("-")) return power();
    Value value = power();
    return {"-" + name(value), "-" + value.whole, false};
  }
  Value power() {
    Value base = atom();
    if (!take("^") && !take("**")) return base;
    return combine(std::move(base), " ** ", signed_value());
  }
  Value atom() {
    skip_space();
    if (take("(")) {
      Value value = sum();
      if (!take(")")) failed_ = true;
      value.whole = "(" + value.whole + ")";
      return value;
    }
    if (at_ < text_.size() && is_letter(text_[at_])) return word();
    return number();
  }
  Value word() {
    std::string name;
    while (at_ < text_.size() && is_letter(text_[at_])) name += text_[at_++];
    const std::string python = python_name(name);
    if (!take("(")) return {python, python, false};
    Value call{python + "(", python + "(", true};
    do {
      Value argument = sum();
      const std::string separator = call.whole.ends_with('(') ? "" : ", ";
      call.part += separator + this->name(argument);
      call.whole += separator + argument.whole;
    } while (!failed_ && take(","));
    if (!take(")")) failed_ = true;
    call.part += ")";
    call.whole += ")";
    return call;
  }
  Value number() {
    std::string digits;
    bool dot = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      // "1,000": a comma inside a number groups its digits.
      const bool groups = c == ',' && !digits.empty() && !dot && at_ + 3 < text_.size() && is_digit(text_[at_ + 1]) &&
                          is_digit(text_[at_ + 2]) && is_digit(text_[at_ + 3]) &&
                          (at_ + 4 == text_.size() || !is_digit(text_[at_ + 4]));
      if (groups) continue;
      if (!is_digit(c) && (c != '.' || dot)) break;
      dot |= c == '.';
      digits += c;
    }
    // Python wants no zeros in front.
    while (digits.size() > 1 && digits[0] == '0' && digits[1] != '.') digits.erase(0, 1);
    if (digits.empty() || digits == ".") failed_ = true;
    return {digits, digits, false};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
  std::vector<std::pair<std::string, std::string>> named_;
};

}  // namespace

std::optional<Computation> expression_computation(const std::string& ask) {
  const auto expression = expression_in(ask);
  if (!expression) return std::nullopt;
  Dissector::Parts parts;
  if (auto read = Dissector(*expression).dissect()) {
    parts = std::move(*read);
  } else {
    parts.last = parts.whole = *expression;
  }
  Computation computation;
  computation.what = *expression;
  computation.lead = *expression + " = ";
  computation.again = parts.whole;
  for (const auto& [name, value] : parts.named) {
    computation.steps.push_back({"I compute " + value + ".", name + " = " + value, name});
  }
  computation.steps.push_back({"I compute " + parts.last + ".", "result = " + parts.last, "result"});
  const bool uses_math = parts.whole.find("math.") != std::string::npos;
  if (uses_math) computation.steps.front().code.insert(0, "import math\n");
  return computation;
}

}  // namespace braidlog::provider
