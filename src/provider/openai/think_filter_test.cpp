#include "provider/openai/think_filter.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

// "thought|text" of deltas of `piece` bytes each.
std::string filtered(std::string_view answer, std::size_t piece) {
  ThinkFilter filter;
  std::string thought, text;
  const auto keep = [&](const std::vector<ThinkFilter::Piece>& pieces) {
    for (const auto& p : pieces) {
      EXPECT_FALSE(p.text.empty());
      EXPECT_TRUE(!p.is_thought || text.empty());
      (p.is_thought ? thought : text) += p.text;
    }
  };
  for (std::size_t at = 0; at < answer.size(); at += piece) keep(filter.take(answer.substr(at, piece)));
  keep(filter.open());
  EXPECT_TRUE(filter.is_open());
  return thought + "|" + text;
}

TEST(ThinkFilter, ThoughtsAtTheBeginningOnly) {
  const std::pair<std::string, std::string> cases[] = {
      {"<think>hm</think>answer", "hm|answer"},
      {"\n <think>\nhm\n</think>\n\nan <think>swer</think>", "\nhm\n|an <think>swer</think>"},
      {"plain", "|plain"},
      {"  plain", "|  plain"},
      {"a <think>b</think>", "|a <think>b</think>"},
      {"<thin", "|<thin"},
      {"<thinking>", "|<thinking>"},
      {"<think>never closed </thi", "never closed </thi|"},
      {"<think></think>", "|"},
      {"<think>a < b </ c </think>d", "a < b </ c |d"},
      {std::string(100, ' ') + "<think>x</think>", "|" + std::string(100, ' ') + "<think>x</think>"},
      {"", "|"}};
  for (const auto& [answer, expected] : cases) {
    for (std::size_t piece = 1; piece <= answer.size() + 1; ++piece) {
      EXPECT_EQ(filtered(answer, piece), expected) << piece;
    }
  }
}

TEST(ThinkFilter, OrdinaryTextIsNotHeldBack) {
  ThinkFilter filter;
  EXPECT_EQ(filter.take("Hel").size(), 1u);
  EXPECT_TRUE(filter.is_open());
}

}  // namespace
}  // namespace braidlog::provider
