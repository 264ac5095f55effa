// The bytes of a streamed chat completion, in the shape and size that real services send.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// A whole answer: head, role, tokens, finish reason, usage, [DONE], in one HTTP chunk.
std::string whole_completion(std::string_view model, std::uint64_t tokens);

// The same in parts, for an answer that is paced.
class PacedCompletion {
 public:
  explicit PacedCompletion(std::string_view model);

  // Head and role.
  const std::string& opening() const { return opening_; }
  // A token as a chunk of its own. Its text is '@' and the time as 16 digits. Valid until the next call.
  std::string_view token(std::int64_t stamp_ns);
  // Finish reason, usage, [DONE] and the end of the body.
  std::string closing(std::uint64_t tokens) const;

 private:
  std::string model_;
  std::string opening_;
  std::string token_;
  std::size_t stamp_offset_ = 0;
};

}  // namespace bench
