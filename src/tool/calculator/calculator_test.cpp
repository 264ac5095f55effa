#include "tool/calculator/calculator.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tool/calculator/expression.h"
#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

std::string result(std::string_view expression) {
  const auto value = evaluate(expression);
  return value ? format_number(*value) : value.error().message;
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(result("12*7+3"), "87");
  EXPECT_EQ(result("2+3*4"), "14");
  EXPECT_EQ(result(" ( 2 + 3 ) * 4 "), "20");
  EXPECT_EQ(result("7/2"), "3.5");
  EXPECT_EQ(result("7%4"), "3");
  EXPECT_EQ(result("10-2-3"), "5");
  EXPECT_EQ(result("2^3^2"), "512");
  EXPECT_EQ(result("-2^2"), "-4");
  EXPECT_EQ(result("2^-1"), "0.5");
  EXPECT_EQ(result("--3"), "3");
  EXPECT_EQ(result("2*-3"), "-6");
  EXPECT_EQ(result(".5+1e3"), "1000.5");
  EXPECT_EQ(result("0.1+0.2"), "0.3");
  EXPECT_EQ(result("-0"), "0");
  EXPECT_EQ(result("2^53"), "9007199254740992");
  EXPECT_EQ(result("10^20"), "1e+20");
  EXPECT_EQ(result("1/3"), "0.333333333333333");
}

TEST(Expression, Functions) {
  EXPECT_EQ(result("sqrt(16)"), "4");
  EXPECT_EQ(result("ABS(-3)"), "3");
  EXPECT_EQ(result("round(2.5)+floor(2.9)+ceil(2.1)"), "8");
  EXPECT_EQ(result("min(3,1,2)+max(3,1,2)"), "4");
  EXPECT_EQ(result("ln(e)"), "1");
  EXPECT_EQ(result("log(1000)"), "3");
  EXPECT_EQ(result("exp(0)+sin(0)+cos(0)+tan(0)"), "2");
  EXPECT_EQ(result("pi"), "3.14159265358979");
  EXPECT_EQ(result("2*pi*e"), "17.0794684453471");
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(result("1/0"), "division by zero");
  EXPECT_EQ(result("1%0"), "division by zero");
  EXPECT_EQ(result("0^-1"), "division by zero");
  EXPECT_EQ(result("sqrt(-1)"), "the result is not a real number");
  EXPECT_EQ(result("(-8)^0.5"), "the result is not a real number");
  EXPECT_EQ(result("10^400"), "the result is too large or not defined");
  EXPECT_EQ(result("ln(0)"), "the result is too large or not defined");
  EXPECT_EQ(result("1e999"), "a number is too large");
  EXPECT_EQ(result(""), "a number is missing at the end at position 1");
  EXPECT_EQ(result("1+"), "a number is missing at the end at position 3");
  EXPECT_EQ(result("(1"), "a ')' is missing at position 3");
  EXPECT_EQ(result("1)"), "unexpected ')' at position 2");
  EXPECT_EQ(result("1 apples"), "unexpected 'apples' at position 3");
  EXPECT_EQ(result("."), "'.' is not a number at position 1");
  EXPECT_EQ(result("foo(1)"), "unknown name 'foo' at position 4");
  EXPECT_EQ(result("sqrt 4"), "sqrt needs parentheses at position 6");
  EXPECT_EQ(result("sqrt(1,2)"), "sqrt takes one number");
  EXPECT_EQ(result("2 \xe2\x82\xac"), "unexpected '\xe2\x82\xac' at position 3");
}

TEST(Expression, IsBounded) {
  EXPECT_EQ(result(std::string(1001, '1')), "the expression is too long");
  EXPECT_EQ(result(std::string(500, '(') + "1" + std::string(499, ')')).substr(0, 17), "nested too deeply");
  std::string powers = "1";
  for (int i = 0; i < 300; ++i) powers += "^1";
  EXPECT_EQ(result(powers).substr(0, 17), "nested too deeply");
  EXPECT_EQ(result(std::string(998, '-') + "1"), "1");
  std::string many = "max(1";
  for (int i = 0; i < 200; ++i) many += ",1";
  EXPECT_EQ(result(many + ")"), "max has too many numbers");
}

TEST(Expression, AnyTextIsANumberOrAnError) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned char>& picks) {
    static constexpr std::string_view kPieces[] = {"1", "2.5", "+", "-",    "*",   "/",  "%", "^",
                                                   "(", ")",   ",", "sqrt", "min", "pi", " ", "e"};
    std::string text;
    for (const auto pick : picks) text += kPieces[pick % 16];
    const auto value = evaluate(text);
    if (value) RC_ASSERT(parse_json(format_number(*value)).has_value());
  }));
}

TEST(CalculatorTool, AnswersWithANumber) {
  Calculator calculator;
  testing::ToolCaller caller;
  EXPECT_FALSE(calculator.spec().writes);
  const auto whole = caller.call(calculator, R"({"expression":"12*7+3"})");
  EXPECT_EQ(whole.text, "87");
  EXPECT_EQ(whole.value, json::value(87));
  EXPECT_EQ(caller.call(calculator, R"({"expression":"0.1+0.2"})").value, json::value(0.3));
  const auto wrong = caller.call(calculator, R"({"expression":"1/0"})");
  EXPECT_EQ(wrong.status, ToolStatus::kToolError);
  EXPECT_EQ(wrong.text, "division by zero");
  EXPECT_FALSE(calculator.check(parse_json(R"({"expression":3})").value()));
}

TEST(CalculatorTool, CancelledNobodyHears) {
  Calculator calculator;
  testing::ToolCaller caller;
  caller.start(calculator, R"({"expression":"1+1"})").reset();
  caller.loop().run_ready();
  EXPECT_FALSE(caller.outcome());
}

}  // namespace
}  // namespace braidlog::tool
