#include "upstream/plan.h"

#include <charconv>

namespace bench {

namespace {

// Takes a number off the front of `text`.
bool take_number(std::string_view& text, std::uint64_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<Plan> parse_plan(std::string_view model) {
  Plan plan;
  if (take_word(model, "burst-") && take_number(model, plan.tokens) && model.empty()) return plan;
  if (take_word(model, "pace-") && take_number(model, plan.tokens) && take_word(model, "-") &&
      take_number(model, plan.interval_ms) && plan.interval_ms > 0 && model.empty()) {
    return plan;
  }
  return std::nullopt;
}

std::string_view model_of(std::string_view body) {
  constexpr std::string_view kKey = "\"model\"";
  const std::size_t key = body.find(kKey);
  if (key == std::string_view::npos) return {};
  const std::size_t begin = body.find('"', key + kKey.size());
  if (begin == std::string_view::npos) return {};
  const std::string_view value = body.substr(begin + 1);
  return value.substr(0, value.find('"'));
}

}  // namespace bench
