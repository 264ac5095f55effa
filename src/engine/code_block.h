// The code in a model's answer: its first fenced block of Python. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braidlog {

struct CodeBlock {
  std::string code;
  std::string around;      // the answer without the block
  bool is_closed = false;  // false: the answer ended inside it
};

// None when the answer has no such block, or an empty one.
std::optional<CodeBlock> find_code(std::string_view answer);

}  // namespace braidlog
