#include "engine/code_block.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

TEST(CodeBlock, IsTheFirstFencedPython) {
  const auto block = find_code("First I add.\n```python\nx = 1\nprint(x)\n```\nThen I look.\n```python\ny\n```\n");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->code, "x = 1\nprint(x)");
  EXPECT_EQ(block->around, "First I add.\n\nThen I look.\n```python\ny\n```");
  EXPECT_TRUE(block->is_closed);
}

TEST(CodeBlock, HasTheWordPythonInAnyOfItsSpellings) {
  for (const char* opening : {"```python", "```py", "```Python3", "  ``` python  ", "```python\r"}) {
    const auto block = find_code(std::string(opening) + "\n1 + 1\n```");
    ASSERT_TRUE(block) << opening;
    EXPECT_EQ(block->code, "1 + 1");
    EXPECT_EQ(block->around, "");
  }
}

TEST(CodeBlock, IsNoOtherBlock) {
  for (const char* answer : {"", "plain text", "```\n1\n```", "```bash\nls\n```", "inline ```python x``` here",
                             "```pythonic\n1\n```", "```python\n```", "```python\n  \n```"}) {
    EXPECT_FALSE(find_code(answer)) << answer;
  }
}

TEST(CodeBlock, ComesAfterOtherBlocks) {
  const auto block = find_code("```json\n{}\n```\n```python\nz\n```");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->code, "z");
}

TEST(CodeBlock, ThatIsNotClosedSaysSo) {
  const auto block = find_code("```python\nprint('a')\nprint('b");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->code, "print('a')\nprint('b");
  EXPECT_FALSE(block->is_closed);
}

TEST(CodeBlock, KeepsTheIndentOfItsFirstLine) {
  const auto block = find_code("```python\n    if x:\n        y\n```");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->code, "    if x:\n        y");
}

}  // namespace
}  // namespace braidlog
