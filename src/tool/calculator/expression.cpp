#include "tool/calculator/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace braidlog::tool {

namespace {

constexpr std::size_t kBytesMax = 1'000;
constexpr int kDepthMax = 64;
constexpr std::size_t kArgumentsMax = 100;
constexpr double kExactMax = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Function {
  std::string_view name;
  double (*apply)(double);
};

constexpr std::array<Function, 11> kFunctions{{
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"round", [](double x) { return std::round(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"ln", [](double x) { return std::log(x); }},
    {"log", [](double x) { return std::log10(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
}};

// Recursive descent. The first error is kept and every later value is meaningless, so each step only has to
// go on safely, not to check.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<double> parse() {
    const double value = sum();
    skip_space();
    if (!error_ && at_ < text_.size()) complain("unexpected '" + rest_of_word() + "'");
    if (error_) return fail(ErrorCode::kToolFailed, *error_);
    return value;
  }

 private:
  double sum() {
    if (++depth_ > kDepthMax) complain("nested too deeply");
    double value = error_ ? 0 : product();
    while (!error_) {
      if (take('+')) {
        value = finite(value + product());
      } else if (take('-')) {
        value = finite(value - product());
      } else {
        break;
      }
    }
    --depth_;
    return value;
  }

  double product() {
    double value = signed_power();
    while (!error_) {
      if (take('*')) {
        value = finite(value * signed_power());
      } else if (take('/')) {
        value = finite(value / divisor());
      } else if (take('%')) {
        value = finite(std::fmod(value, divisor()));
      } else {
        break;
      }
    }
    return value;
  }

  double divisor() {
    const double value = signed_power();
    if (!error_ && value == 0) complain("division by zero", false);
    return error_ ? 1 : value;
  }

  double signed_power() {
    bool negative = false;
    while (!error_) {
      if (take('-')) {
        negative = !negative;
      } else if (!take('+')) {
        break;
      }
    }
    const double value = power();
    return negative ? -value : value;
  }

  double power() {
    const double base = atom();
    if (error_ || !take('^')) return base;
    if (++depth_ > kDepthMax) {
      complain("nested too deeply");
      return 0;
    }
    const double exponent = signed_power();
    --depth_;
    if (!error_ && base == 0 && exponent < 0) complain("division by zero", false);
    return error_ ? 0 : finite(std::pow(base, exponent));
  }

  double atom() {
    if (take('(')) {
      const double value = sum();
      close();
      return value;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return named();
    if (at_ >= text_.size()) {
      complain("a number is missing at the end");
    } else {
      complain("unexpected '" + rest_of_word() + "'");
    }
    return 0;
  }

  double number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto parsed = std::from_chars(begin, text_.data() + text_.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) {
      complain("a number is too large", false);
      return 0;
    }
    if (parsed.ec != std::errc()) {
      complain("'" + rest_of_word() + "' is not a number");
      return 0;
    }
    at_ += static_cast<std::size_t>(parsed.ptr - begin);
    return value;
  }

  double named() {
    std::string name;
    while (at_ < text_.size() && is_letter(text_[at_])) name += static_cast<char>(text_[at_++] | 0x20);
    if (name == "pi") return std::numbers::pi;
    if (name == "e") return std::numbers::e;
    for (const auto& function : kFunctions) {
      if (function.name != name) continue;
      const auto values = arguments(name);
      if (!error_ && values.size() != 1) complain(name + " takes one number", false);
      return error_ ? 0 : finite(function.apply(values[0]));
    }
    if (name == "min" || name == "max") {
      const auto values = arguments(name);
      if (error_) return 0;
      double best = values[0];
      for (const double value : values) best = name == "min" ? std::fmin(best, value) : std::fmax(best, value);
      return best;
    }
    complain("unknown name '" + name + "'");
    return 0;
  }

  std::vector<double> arguments(const std::string& name) {
    std::vector<double> values;
    if (!take('(')) {
      complain(name + " needs parentheses");
      return values;
    }
    do {
      values.push_back(sum());
      if (values.size() > kArgumentsMax) complain(name + " has too many numbers", false);
    } while (!error_ && take(','));
    close();
    return values;
  }

  void close() {
    if (!error_ && !take(')')) complain("a ')' is missing");
  }

  double finite(double value) {
    if (!error_ && std::isnan(value)) complain("the result is not a real number", false);
    if (!error_ && std::isinf(value)) complain("the result is too large or not defined", false);
    return error_ ? 0 : value;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (error_ || at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string rest_of_word() const {
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < 20 && is_letter(text_[end])) ++end;
    if (end > at_) return std::string(text_.substr(at_, end - at_));
    // One whole character, which may be of several bytes.
    for (++end; end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80;) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  void complain(std::string what, bool with_place = true) {
    if (error_) return;
    if (with_place) what += " at position " + std::to_string(at_ + 1);
    error_ = std::move(what);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<std::string> error_;
};

}  // namespace

Result<double> evaluate(std::string_view expression) {
  if (expression.size() > kBytesMax) return fail(ErrorCode::kToolFailed, "the expression is too long");
  return Parser(expression).parse();
}

std::string format_number(double value) {
  char text[64];
  if (value == 0) return "0";  // also for -0
  const bool whole = value == std::floor(value) && std::fabs(value) <= kExactMax;
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<long long>(value)).ptr
                         : std::to_chars(text, text + sizeof text, value, std::chars_format::general, 15).ptr;
  return std::string(text, end);
}

}  // namespace braidlog::tool
