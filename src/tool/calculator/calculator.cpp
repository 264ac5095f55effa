#include "tool/calculator/calculator.h"

#include <utility>

#include "tool/calculator/expression.h"
#include "tool/call.h"

namespace braidlog::tool {

namespace {

ToolSpec calculator_spec() {
  ToolSpec spec;
  spec.name = "calculator";
  spec.description =
      "Calculates. Knows + - * / % ^ ( ), sqrt abs round floor ceil min max ln log exp sin cos tan, pi and "
      "e.";
  spec.parameters_json =
      R"({"type":"object","properties":{"expression":{"type":"string","minLength":1,"maxLength":1000,)"
      R"("description":"For example (12*7+3)/2"}},"required":["expression"],"additionalProperties":false})";
  spec.writes = false;
  return spec;
}

ToolOutcome calculate(const std::string& expression) {
  const auto result = evaluate(expression);
  if (!result) return ToolOutcome::error(ToolStatus::kToolError, result.error().message);
  std::string text = format_number(*result);
  // The value is what the text says, not the binary fraction behind it. Every text of format_number() is
  // JSON.
  auto value = parse_json(text);
  return {ToolStatus::kOk, value ? std::move(*value) : json::value(*result), std::move(text)};
}

}  // namespace

Calculator::Calculator() : SchemaTool(calculator_spec()) {}

std::unique_ptr<ToolRun> Calculator::start(ToolInvocation invocation, Loop& loop,
                                           UniqueFunction<void(ToolOutcome)> done) {
  return answer_later(loop, calculate(string_argument(invocation.args, "expression")), std::move(done));
}

}  // namespace braidlog::tool
