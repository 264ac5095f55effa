#include "tool/knowledge/knowledge_index.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <thread>

#include "base/utf8.h"
#include "tool/knowledge/match_query.h"

namespace braidlog::tool {
namespace {

TEST(MatchQuery, WordsAndTheBeginningOfTheLast) {
  EXPECT_EQ(match_query("return polic"), R"("return" OR "polic"*)");
  EXPECT_EQ(match_query("Return the RETURN, polic"), R"("return" OR "polic"*)");
  EXPECT_EQ(match_query("what is the"), R"("what" OR "is" OR "the"*)") << "common words, where there are no others";
  EXPECT_EQ(match_query("What is the warranty?"), R"("warranty"*)");
  EXPECT_EQ(match_query(" .,-!\"*() "), "");
  EXPECT_EQ(match_query(""), "");
}

TEST(MatchQuery, NothingIsAnOperator) {
  EXPECT_EQ(match_query("\" OR title:x NEAR(a b) -c ^d {e f} : *"),
            R"("title" OR "x" OR "near" OR "b" OR "c" OR "d" OR "e" OR "f"*)");
}

TEST(MatchQuery, HasAnEnd) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "w" + std::to_string(i) + " ";
  EXPECT_LT(match_query(text).size(), 1000u);
  EXPECT_LT(match_query(std::string(1'000'000, 'x')).size(), 100u);
}

class KnowledgeIndexTest : public ::testing::Test {
 protected:
  // The titles found, best first.
  std::vector<std::string> titles(std::string_view query, unsigned limit = 10) {
    std::vector<std::string> out;
    const auto findings = index_->search(query, limit);
    EXPECT_TRUE(findings);
    for (const auto& finding : *findings) out.push_back(finding.title);
    return out;
  }

  std::vector<Passage> passages_{
      {"Returns", "returns.md", "You may return an article within 30 days."},
      {"Café", "cafe.md", "The café sells crêpes and tea."},
      {"Tea", "tea.md", "Leaves and hot water."},
      {"Long", "long.txt", "needle " + std::string(3000, 'x') + " end"},
  };
  std::shared_ptr<KnowledgeIndex> index_ = KnowledgeIndex::build(passages_).value();
};
using Titles = std::vector<std::string>;

TEST_F(KnowledgeIndexTest, FindsByWordsWithoutEndingsCaseAndAccents) {
  EXPECT_EQ(titles("RETURNED articles"), Titles{"Returns"});
  EXPECT_EQ(titles("cafe crepes"), Titles{"Café"});
  EXPECT_EQ(titles("leav"), Titles{"Tea"}) << "the last word may be half typed";
  EXPECT_EQ(titles("zebra"), Titles{});
  EXPECT_EQ(titles("?!"), Titles{});
}

TEST_F(KnowledgeIndexTest, TheBestFirstAndNoMoreThanAsked) {
  EXPECT_EQ(titles("tea"), (Titles{"Tea", "Café"})) << "a heading counts for more";
  EXPECT_EQ(titles("tea", 1), Titles{"Tea"});
}

TEST_F(KnowledgeIndexTest, ShortPassagesWholeAndLongOnesInPart) {
  EXPECT_EQ(index_->search("article", 1)->at(0).snippet, "You may return an article within 30 days.");
  EXPECT_EQ(index_->search("article", 1)->at(0).source, "returns.md");
  const auto part = index_->search("needle", 1)->at(0).snippet;
  EXPECT_TRUE(part.starts_with("needle")) << part;
  EXPECT_LE(part.size(), 1603u);
  EXPECT_TRUE(part.ends_with("…"));
}

TEST_F(KnowledgeIndexTest, AnyTextIsAQuery) {
  for (const char* text : {"\"",       "'", "\"\"", "a\"b", "OR",      "AND NOT", "NEAR(",
                           "title:",   "-", "*",    "^x",   "{a b}:c", "😀",      "—",
                           "\xc2\xa0", "’", "a’b",  "x*",   "\"x\" *", ")",       "'; DROP TABLE passage; --"}) {
    EXPECT_TRUE(index_->search(text, 4)) << text;
  }
  EXPECT_TRUE(index_->search(std::string_view("a\0b\"", 4), 4));
  EXPECT_TRUE(rc::check([&](const std::string& bytes) { RC_ASSERT(index_->search(to_valid_utf8(bytes), 4)); }));
  EXPECT_EQ(titles("tea").size(), 2u) << "and nothing was changed by any of them";
}

TEST_F(KnowledgeIndexTest, SeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int k = 0; k < 200; ++k) EXPECT_EQ(index_->search("tea", 4)->size(), 2u);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(KnowledgeIndex, EmptyIsFine) {
  const auto index = KnowledgeIndex::build({}).value();
  EXPECT_TRUE(index->search("anything", 3)->empty());
}

}  // namespace
}  // namespace braidlog::tool
