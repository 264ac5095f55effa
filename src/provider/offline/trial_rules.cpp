// The rule for people who try a tool: it is called as they say, and what it gives is shown as it is.
#include <algorithm>

#include "base/json.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

struct Order {
  std::string tool;
  std::string args;
};

// "call TOOL {…}" and nothing else.
std::optional<Order> order_in(std::string_view ask) {
  constexpr std::string_view kCall = "call ";
  constexpr std::string_view kBlank = " \t\r\n";
  auto text = trim(ask);
  if (!text.starts_with(kCall)) return std::nullopt;
  text.remove_prefix(kCall.size());
  const auto end = text.find_first_of(kBlank);
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const auto args = trim(text.substr(end));
  const auto parsed = parse_json(args);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return Order{std::string(text.substr(0, end)), std::string(args)};
}

// Longer than any row of backticks in the text.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2, row = 0;
  for (const char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  return std::string(longest + 1, '`');
}

}  // namespace

std::optional<Answer> call_tool(const Situation& situation) {
  auto order = order_in(situation.ask);
  if (!order) return std::nullopt;
  const auto calls = situation.calls_of(order->tool);
  if (!calls.empty()) {
    const auto& result = calls.back().result;
    if (!result) return say("No result came back from " + order->tool + ".");
    const std::string fence = fence_for(*result);
    return say(order->tool + " gave:\n\n" + fence + "\n" + *result + "\n" + fence);
  }
  if (!situation.offers(order->tool)) return std::nullopt;
  return Answer{.pieces = {CallTool{std::move(order->tool), std::move(order->args)}}};
}

}  // namespace braidlog::provider
