#include "tool/knowledge/passages.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace braidlog::tool {
namespace {

// "title | text" of each.
std::vector<std::string> split(std::string_view name, std::string_view text) {
  std::vector<std::string> out;
  for (const auto& passage : split_into_passages(name, text)) {
    EXPECT_EQ(passage.source, name);
    out.push_back(passage.title + " | " + passage.text);
  }
  return out;
}
using Texts = std::vector<std::string>;

TEST(Passages, BelowTheirHeadings) {
  EXPECT_EQ(split("a.md", "# Tea\n\nHot.\n\n## Green\nMild.\n### Sencha ###\nGrassy.\n## Black\n\nStrong.\n"),
            (Texts{"Tea | Hot.", "Tea / Green | Mild.", "Tea / Green / Sencha | Grassy.", "Tea / Black | Strong."}));
  EXPECT_EQ(split("a.md", "before\r\n# A\r\nafter\r\n"), (Texts{"a | before", "A | after"}));
  EXPECT_EQ(split("a.md", "\xef\xbb\xbf# A\nx"), (Texts{"A | x"}));
}

TEST(Passages, WhatIsNoHeading) {
  EXPECT_EQ(split("a.md", "#tag\n####### seven\n```\n# code\n```\nend"),
            (Texts{"a | #tag\n####### seven\n```\n# code\n```\nend"}));
  EXPECT_EQ(split("b/notes.txt", "# plain\ntext"), (Texts{"notes | # plain\ntext"}));
}

TEST(Passages, NothingToFindIsNoPassage) {
  EXPECT_TRUE(split("a.md", "").empty());
  EXPECT_TRUE(split("a.md", "# Only\n\n## Headings\n \n").empty());
  EXPECT_TRUE(split("a.txt", "\n \t\r\n").empty());
}

TEST(Passages, LongTextIsCutBetweenParagraphs) {
  std::string text = "# T\n";
  for (int i = 0; i < 10; ++i) text += "Paragraph " + std::to_string(i) + std::string(380, 'x') + "\n\n";
  const auto passages = split_into_passages("a.md", text);
  ASSERT_GT(passages.size(), 2u);
  for (const auto& passage : passages) {
    EXPECT_TRUE(passage.text.starts_with("Paragraph ")) << passage.text.substr(0, 20);
    EXPECT_TRUE(passage.text.ends_with("x"));
    EXPECT_LE(passage.text.size(), 1200u);
    EXPECT_EQ(passage.title, "T");
  }
}

TEST(Passages, NothingIsLostAndNothingIsLong) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned>& picks) {
    static const char* const kPieces[] = {"wort ", "ä", "\n", "\n\n", "x", "\xf0\x9f\x98\x80", "```\n"};
    std::string text;
    for (const auto pick : picks) {
      for (unsigned i = 0; i <= pick % 400; ++i) text += kPieces[pick % 7];
    }
    std::string found, expected;
    const auto add = [](std::string& to, std::string_view from) {
      for (const char c : from) {
        if (c != ' ' && c != '\n') to += c;
      }
    };
    add(expected, text);
    for (const auto& passage : split_into_passages("a.md", text)) {
      RC_ASSERT(is_valid_utf8(passage.text));
      RC_ASSERT(passage.text.size() <= 2400u);
      add(found, passage.text);
    }
    RC_ASSERT(found == expected);
  }));
}

}  // namespace
}  // namespace braidlog::tool
